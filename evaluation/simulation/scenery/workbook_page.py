"""The page of the workbook application; `scenery.workbook` fills in what stands between at signs."""

PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Workbook</title><style>
* { box-sizing: border-box; user-select: none }
body { margin: 0; height: 100vh; overflow: hidden; background: @PAPER@; font: 14px/20px @FONT@; color: #222 }
body.dark { background: #2a2e33; color: #ddd }
header { position: absolute; top: 0; left: 0; right: 0; height: 46px; background: @HEADER@ }
header b { position: absolute; top: 8px; width: 68px; height: 30px; color: #fff; font: 15px/30px sans-serif;
  text-align: center; cursor: default }
header select { position: absolute; top: 9px; width: 116px; height: 28px }
nav { display: none; position: absolute; z-index: 3; top: 46px; width: 200px; padding: 2px 0; background: #fff;
  color: #222; border: 2px solid #c98a2b; font: 14px sans-serif }
nav.now { display: block } nav a { display: block; height: 26px; padding: 4px 14px }
nav a:hover { background: #dde6f0 }
#tools button, #tools span { position: absolute; top: 54px; width: 84px; height: 32px; font: 14px sans-serif }
#tools span { line-height: 30px; text-align: center; color: #aaa; background: #e8e8e8; border: 1px solid #ccc;
  border-radius: 3px }
#form, #notes, #table { position: absolute; top: 104px; bottom: 40px; border: 1px solid #999; padding: 0 }
@LEFTS@
#notes { resize: none; padding: 8px; font: 15px/22px @FONT@; background: #fff; color: #222; user-select: text }
.dark #notes, .dark #sheet, .dark #form input, .dark #table > input, .dark select { background: #3a3f45; color: #ddd }
#form label { position: absolute; left: 14px } #form input, #form select { position: absolute; left: 100px }
#form input[type=text], #form input[type=number], #form select { width: 205px; height: 28px; font: 14px sans-serif }
#entries { position: absolute; left: 14px; right: 6px; top: 330px; bottom: 0; overflow: hidden; font-size: 13px }
#sheet { position: absolute; top: 40px; left: 0; right: 0; bottom: 34px; overflow-y: scroll; background: #fff }
#sheet div { display: flex; height: 30px; border-bottom: 1px solid #ddd } #sheet div.hit { background: #b98a2b88 }
#sheet input { width: 27%; border: 0; background: none; color: inherit; padding: 0 6px;
  border-right: 1px solid #ddd; font: 14px sans-serif;
  user-select: text }
#sheet span { width: 19%; padding: 5px; text-align: right }
#total { position: absolute; bottom: 6px; left: 10px; font-weight: bold }
#table > label { position: absolute; top: 8px } #table > input { position: absolute; top: 5px; height: 27px }
footer { position: absolute; bottom: 0; right: 20px; height: 32px; line-height: 28px }
#over { display: none; position: absolute; z-index: 1; background: #fff; color: #222; padding: 14px;
  border: 1px solid #777 }
#over i { display: block; height: 20px; margin: 8px 0; background: @HEADER@; color: #fff; font: 12px/20px sans-serif;
  white-space: nowrap }
#dialog { display: none; position: absolute; z-index: 4; @DIALOG@; width: 400px; height: 310px; background: #f4f4f4;
  color: #222; border: 2px solid #555; box-shadow: 4px 4px 0 #0004 }
#dialog h3 { margin: 0; padding: 6px 14px; background: #d8d8d8; font: bold 15px sans-serif }
#dialog .tab { position: absolute; top: 46px; width: 92px; height: 28px; font: 14px sans-serif }
#dialog .tab.now { background: #fff; font-weight: bold }
#dialog label { position: absolute } #dialog input { position: absolute }
#dialog input[type=text] { left: 150px; width: 200px; height: 28px; user-select: text }
#dialog .end { position: absolute; top: 260px; width: 80px; height: 30px }
</style></head><body>
<header>@MENUS@</header><div id="tools">@TOOLS@</div>
<div id="form"><label style="top:12px" id="which"></label>
<label style="top:50px">Name</label><input type="text" id="name" style="top:46px" autocomplete="off">
<label style="top:90px">Place</label><input type="text" id="place" style="top:86px" autocomplete="off">
<label style="top:130px">Amount</label><input type="number" id="amount" style="top:126px;width:130px">
<label style="top:130px;left:240px" id="gross"></label>
<label style="top:170px">Remark</label><input type="text" id="remark" style="top:166px" autocomplete="off">
<label style="top:210px">Category</label><select id="category" style="top:206px"><option>Garden</option>
<option>Hall</option><option>Library</option><option>Market</option><option>School</option><option>Path</option></select>
<input type="checkbox" id="done" style="top:250px"><label style="top:248px;left:124px">done</label>
<button data-do="add" style="position:absolute;left:190px;top:244px;width:100px;height:30px">Add entry</button>
<label style="top:287px" id="heavy"></label><input type="range" id="weight" style="top:284px;width:205px">
<div id="entries"></div></div>
<textarea id="notes" spellcheck="false"></textarea>
<div id="table"><label style="left:10px">Rate</label><input id="rate" style="left:50px;width:60px" autocomplete="off">
<label style="left:140px">Find</label><input id="filter" style="left:190px;width:110px" autocomplete="off">
<div id="sheet"></div><div id="total"></div></div>
<div id="over"></div><footer id="said">Ready</footer>
<div id="dialog"><h3>Settings</h3><button class="tab now" style="left:14px">General</button>
<button class="tab" style="left:114px">View</button><button class="tab" style="left:214px">Export</button>
<label style="left:20px;top:95px" class="first">Title</label><input type="text" style="top:90px" autocomplete="off">
<label style="left:20px;top:135px" class="second">Unit</label><input type="text" style="top:130px" autocomplete="off">
<input type="checkbox" style="left:33px;top:178px"><label style="left:60px;top:175px" class="third">Show sums</label>
<input type="checkbox" style="left:33px;top:208px"><label style="left:60px;top:205px" class="fourth">Count rows</label>
<button class="end" style="left:200px" id="cancel">Cancel</button>
<button class="end" style="left:290px" id="ok">OK</button></div>
<script>
const $ = id => document.getElementById(id), all = words => [...document.querySelectorAll(words)]
let state = @STATE@, past = [], future = [], saves = 0, row = 0, at = -1
const kept = () => { state.top = $('sheet').scrollTop; return JSON.stringify(state) }
const push = () => { past.push(kept()); if (past.length > 300) past.shift(); future = [] }
const back = words => { state = JSON.parse(words); draw(); $('sheet').scrollTop = state.top }
function say(words) { $('said').textContent = words }
function draw() {
  if ($('notes').value != state.notes) {
    const caret = Math.min($('notes').selectionStart, state.notes.length), top = $('notes').scrollTop
    $('notes').value = state.notes; $('notes').setSelectionRange(caret, caret); $('notes').scrollTop = top
  }
  $('notes').style.fontWeight = state.bold ? 'bold' : 'normal'; $('notes').style.fontSize = state.size + 'px'
  $('rate').value = state.rate; $('weight').value = state.weight; $('heavy').textContent = 'Weight ' + state.weight
  while ($('sheet').children.length < state.rows.length) $('sheet').append(line())
  while ($('sheet').children.length > state.rows.length) $('sheet').lastChild.remove()
  let total = 0; const wanted = $('filter').value.toLowerCase()
  state.rows.forEach((values, number) => {
    const cells = $('sheet').children[number].children, sum = Number(values[1] || 0) + Number(values[2] || 0)
    for (let i = 0; i < 3; i++) if (cells[i].value != values[i]) cells[i].value = values[i]
    cells[3].textContent = isNaN(sum) ? '?' : Math.round(100 * sum) / 100
    total += isNaN(sum) ? 0 : sum
    $('sheet').children[number].classList.toggle('hit', wanted && String(values[0]).toLowerCase().includes(wanted))
  })
  $('total').textContent = state.rows.length + ' rows, total ' + Math.round(total * (1 + state.rate / 100)
    * state.weight / 10) / 10
  const [name, place, amount, remark] = state.records[state.record]
  $('which').textContent = `Record ${state.record + 1} of ${state.records.length}, entries: ${state.entries.length}`
  const values = { name, place, amount, remark }
  for (const id in values) if ($(id).value != values[id]) $(id).value = values[id]
  $('gross').textContent = '= ' + Math.round(119 * amount) / 100
  $('entries').innerHTML = ''
  for (const one of state.entries.slice(-9).reverse()) $('entries').append(one, document.createElement('br'))
}
function line() {
  const div = document.createElement('div')
  for (let i = 0; i < 3; i++) {
    const cell = document.createElement('input'); div.append(cell)
    cell.onfocus = () => { row = [...$('sheet').children].indexOf(div); cell.select() }
    cell.onchange = () => set(() => state.rows[[...$('sheet').children].indexOf(div)][i] = cell.value)
  }
  div.append(document.createElement('span')); return div
}
function set(change) { push(); change(); draw() }
const deeds = {
  undo() { if (past.length) { future.push(kept()); back(past.pop()) } },
  redo() { if (future.length) { past.push(kept()); back(future.pop()) } },
  bold() { set(() => state.bold = !state.bold) },
  bigger() { set(() => state.size = state.size >= 22 ? 13 : state.size + 1) },
  row() { set(() => state.rows.splice(row, 0, ['', 0, 0])); $('sheet').scrollTop = Math.max(0, 30 * row - 60) },
  next() { state.record = (state.record + 1) % state.records.length; draw() },
  previous() { state.record = (state.record + state.records.length - 1) % state.records.length; draw() },
  save() { say('Saved, ' + ++saves + (saves == 1 ? ' time' : ' times')) },
  theme() { document.body.classList.toggle('dark') },
  date() { set(() => state.notes = 'On a Monday\\n' + state.notes) },
  sort() { set(() => state.rows.sort((a, b) => state.sorted ? b[1] - a[1] : a[1] - b[1])) },
  add() { set(() => state.entries.push(`${$('name').value}, ${$('category').value}, ${$('amount').value}`)) },
  settings() { $('dialog').style.display = 'block'; document.title = 'Settings - Workbook' },
  summary() {
    const over = $('over'), box = $('notes').getBoundingClientRect(), shown = over.style.display == 'block'
    over.style.display = shown ? 'none' : 'block'
    Object.assign(over.style, { left: box.left + 'px', top: box.top + 'px', width: box.width + 'px',
      height: box.height + 'px' })
    over.innerHTML = ''
    for (const one of state.rows.slice(0, 14)) {
      const bar = document.createElement('i'); bar.textContent = one[0]; over.append(bar)
      bar.style.width = 20 + Math.min(75, Number(one[1]) / 12 || 0) + '%'
    }
  },
}
function closed() { for (const one of all('nav')) one.classList.remove('now') }
function left() { $('dialog').style.display = 'none'; document.title = 'Workbook' }
document.onmousedown = event => {
  if (!event.target.closest('input, textarea, select, button, nav, header b')) event.preventDefault()
  if (!event.target.closest('nav, header b')) closed()
}
for (const one of all('[data-do]')) one.onclick = () => { closed(); (deeds[one.dataset.do] || (() => {}))() }
for (const one of all('[data-menu]')) one.onmousedown = event => {
  event.preventDefault(); const menu = $(one.dataset.menu), shown = menu.classList.contains('now')
  closed(); menu.classList.toggle('now', !shown)
}
for (const one of all('header b')) one.onmouseenter = () => {
  if (document.querySelector('nav.now')) { closed(); $(one.dataset.menu).classList.add('now') }
}
const looks = { Font: ['sans-serif', 'serif', 'monospace'],
  Ink: ['#222', '#113a8a', '#5b3a29', '#205a2a', '#777', '#911'] }
for (const one of all('[data-list]')) one.onchange = () => {
  const number = one.selectedIndex
  if (one.dataset.list == 'Font') $('notes').style.fontFamily = looks.Font[number % 3]
  if (one.dataset.list == 'Ink') $('notes').style.color = looks.Ink[number]
  if (one.dataset.list == 'Sort') deeds.sort()
  if (one.dataset.list == 'Theme') document.body.classList.toggle('dark', number % 2 == 1)
}
const word = event => event.inputType == 'insertText' && !/\\s/.test(event.data)
$('notes').onbeforeinput = event => {
  const here = $('notes').selectionStart, goes = word(event) || event.inputType == 'deleteContentBackward'
  if (!(goes && here == $('notes').selectionEnd && here == at)) push()
}
$('notes').oninput = event => {
  state.notes = $('notes').value
  at = word(event) || event.inputType == 'deleteContentBackward' ? $('notes').selectionStart : -1
}
for (const [id, i] of [['name', 0], ['place', 1], ['amount', 2], ['remark', 3]])
  $(id).onchange = () => set(() => state.records[state.record][i] = $(id).value)
$('amount').oninput = () => { $('gross').textContent = '= ' + Math.round(119 * $('amount').value) / 100 }
$('rate').onchange = () => set(() => state.rate = Number($('rate').value) || 0)
$('filter').onchange = () => {
  draw(); const hit = document.querySelector('#sheet .hit')
  if (hit) $('sheet').scrollTop = hit.offsetTop - 30
}
$('weight').oninput = () => { $('heavy').textContent = 'Weight ' + $('weight').value }
$('weight').onchange = () => set(() => state.weight = Number($('weight').value))
const names = [['Title', 'Unit', 'Show sums', 'Count rows'], ['Font', 'Zoom', 'Grid', 'Colours'],
  ['Folder', 'Format', 'With notes', 'Compress']]
all('.tab').forEach((tab, number) => tab.onclick = () => {
  all('.tab').forEach(one => one.classList.toggle('now', one == tab))
  ;['first', 'second', 'third', 'fourth'].forEach((name, i) =>
    document.querySelector('#dialog .' + name).textContent = names[number][i])
})
$('cancel').onclick = left; $('ok').onclick = () => { left(); say('Settings kept') }
document.onkeydown = event => {
  const key = event.key.toLowerCase(), open = $('dialog').style.display == 'block'
  const deed = event.ctrlKey ? { z: 'undo', y: 'redo', b: 'bold', s: 'save' }[key] : undefined
  if (deed) { event.preventDefault(); deeds[deed]() }
  if (key == 'escape') { if (open) left(); closed(); $('over').style.display = 'none' }
  if (key == 'enter' && open) { event.preventDefault(); $('ok').click() }
  else if (key == 'enter' && event.target.closest('#sheet')) {
    const cells = [...event.target.parentNode.children], below = event.target.parentNode.nextSibling
    if (below) below.children[cells.indexOf(event.target)].focus(); else event.target.blur()
  }
}
draw()
</script></body></html>
"""

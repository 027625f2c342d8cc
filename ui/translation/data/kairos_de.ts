<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>Kairos</name>
    <message numerus="yes">
        <source>plural form of %n</source>
        <extracomment>The form of “{count:click|clicks}” for a number: 0 is the first.</extracomment>
        <translation>
            <numerusform>0</numerusform>
            <numerusform>1</numerusform>
        </translation>
    </message>
    <message>
        <location filename="../../../storage/consent_text.py"/>
        <location filename="../../../ui/views/settings.py"/>
        <source>{days:day|days}</source>
        <translation>{days:Tag|Tage}</translation>
    </message>
    <message>
        <location filename="../../../storage/consent_text.py"/>
        <source>On this desktop</source>
        <translation>Auf dieser Arbeitsfläche</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <source>Before Kairos starts</source>
        <translation>Bevor Kairos beginnt</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <source>Kairos watches how you work, notices when you seem stuck, and offers help at a quiet moment. It never acts by itself.</source>
        <translation>Kairos beobachtet, wie Sie arbeiten, bemerkt, wenn Sie nicht weiterzukommen scheinen, und bietet in einem ruhigen Moment Hilfe an. Es handelt nie von selbst.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <source>Nothing has been watched so far.</source>
        <translation>Bisher wurde nichts beobachtet.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <source>{sessions:session is|sessions are} still stored from before: keep or delete?</source>
        <translation>{sessions:Sitzung ist|Sitzungen sind} noch von früher gespeichert: behalten oder löschen?</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <source>Nothing. All stays on this machine, as long as you switch on no model elsewhere.</source>
        <translation>Nichts. Alles bleibt auf diesem Rechner, solange Sie kein Modell anderswo einschalten.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <source>Keep the &amp;journal (required)</source>
        <translation>Das &amp;Journal führen (erforderlich)</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <source>When something changed and where, which application was in front, kinds of keys and clicks, what Kairos made of it and what you answered. No pictures, no window titles, no text.</source>
        <translation>Wann sich etwas geändert hat und wo, welches Programm im Vordergrund war, Arten von Tasten und Klicks, was Kairos daraus schloss und was Sie geantwortet haben. Keine Bilder, keine Fenstertitel, kein Text.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <source>&amp;Record the screen as well (optional)</source>
        <translation>Auch den &amp;Bildschirm aufzeichnen (freiwillig)</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <source>A video, at most two pictures a second, what models saw, and full window titles, so that you can look at a moment again. Anything on the screen can be in it, your own text too.</source>
        <translation>Ein Video, höchstens zwei Bilder pro Sekunde, was Modelle gesehen haben, und vollständige Fenstertitel, damit Sie einen Moment noch einmal ansehen können. Alles auf dem Bildschirm kann darin sein, auch Ihr eigener Text.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <source>Stay silent on the &amp;first day (optional)</source>
        <translation>Am &amp;ersten Tag still bleiben (freiwillig)</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <source>Offers are only written down for 24 hours, and then summed up for you once.</source>
        <translation>Angebote werden 24 Stunden lang nur aufgeschrieben und dann einmal für Sie zusammengefasst.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <source>Understand &amp;controls (optional)</source>
        <translation>Bedienelemente &amp;verstehen (freiwillig)</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <source>A ring shows where to click, help fits the dialog or error in front, and ordinary browser windows are not covered. Read is which button or field you use, which dialog or error appears, also in what a program writes after a command, and which controls and menu entries a window has; in the journal without words. It covers password fields. It turns the accessibility interface on: programs can then read each other's texts, web pages and typed letters. Restart programs that are open.</source>
        <translation>Ein Ring zeigt, wohin Sie klicken, Hilfe passt zum Dialog oder Fehler vor Ihnen, und gewöhnliche Browserfenster werden nicht verdeckt. Gelesen wird, welche Schaltfläche oder welches Feld Sie benutzen, welcher Dialog oder Fehler erscheint, auch in dem, was ein Programm nach einem Befehl schreibt, und welche Bedienelemente und Menüeinträge ein Fenster hat; im Journal ohne Wörter. Passwortfelder werden abgedeckt. Die Schnittstelle für Barrierefreiheit wird dafür eingeschaltet: Programme können dann Texte, Webseiten und getippte Buchstaben voneinander lesen. Starten Sie offene Programme neu.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <source>Record what you sa&amp;y (optional)</source>
        <translation>&amp;Aufnehmen, was Sie sagen (freiwillig)</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <source>The microphone, for thinking aloud. Others in the room are heard too: ask them. Not while paused, private, locked, in a call or with an excluded window in sight. A sign shows when it is open.</source>
        <translation>Das Mikrofon, zum lauten Denken. Andere im Raum sind mit zu hören: Fragen Sie sie. Nicht in Pausen, privat, gesperrt, im Gespräch oder bei ausgeschlossenen Fenstern. Ein Zeichen zeigt, wann es offen ist.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <source>Watched</source>
        <translation>Beobachtet</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <source>Changes on the screen, the application in front, mouse movements and clicks, and the kind of each key: a character, backspace, undo. Never which character.</source>
        <translation>Änderungen auf dem Bildschirm, das Programm im Vordergrund, Mausbewegungen und Klicks und die Art jeder Taste: ein Zeichen, Rücktaste, Rückgängig. Nie, welches Zeichen.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <source>Never kept</source>
        <translation>Nie behalten</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <source>Password managers, private browser windows, what you exclude, and anything while paused or private.</source>
        <translation>Passwortverwaltungen, private Browserfenster, was Sie ausschließen, und alles, während Kairos pausiert oder privat ist.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <source>Kept in</source>
        <translation>Aufbewahrt in</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <source>{sessions_dir}
Readable by your user account alone; not encrypted by Kairos.</source>
        <translation>{sessions_dir}
Nur von Ihrem Benutzerkonto lesbar; von Kairos nicht verschlüsselt.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <source>Kept for</source>
        <translation>Aufbewahrt für</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <source>{days} and at most {keep_gb:g} GB; you are told before the oldest is deleted. You can delete any session yourself.</source>
        <translation>{days} und höchstens {keep_gb:g} GB; bevor das Älteste gelöscht wird, erfahren Sie es. Sie können jede Sitzung selbst löschen.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Sent</source>
        <translation>Gesendet</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <source>{sent}</source>
        <translation>{sent}</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <source>Pictures of the screen: {destinations}. Kept here too (pictures only if recorded): kairos models sent</source>
        <translation>Bilder des Bildschirms: {destinations}. Auch hier aufbewahrt (Bilder nur mit Aufzeichnung): kairos models sent</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <source>to a model on this machine ({preset})</source>
        <translation>an ein Modell auf diesem Rechner ({preset})</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <source>to {host}</source>
        <translation>an {host}</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <source>to {host} ({note})</source>
        <translation>an {host} ({note})</translation>
    </message>
    <message>
        <location filename="../../../storage/data/consent.toml"/>
        <source>What a program writes after a command, in a part without the keyboard, is looked through for a line that names an error, and forgotten; the journal keeps a keyed digest of that line. What you type is not read, unless a program repeats it there.</source>
        <translation>Was ein Programm nach einem Befehl schreibt, in einem Teil ohne die Tastatur, wird auf eine Zeile durchgesehen, die einen Fehler nennt, und vergessen; das Journal behält einen verschlüsselten Fingerabdruck dieser Zeile. Was Sie tippen, wird nicht gelesen, es sei denn, ein Programm wiederholt es dort.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Undoing again and again</source>
        <translation>Immer wieder rückgängig gemacht</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>You used undo {count:times} in the last minute</source>
        <translation>Sie haben in der letzten Minute {count:times} etwas rückgängig gemacht</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>In {tries:go|goes}, within the last {span_s:s}.</source>
        <translation>In {tries:Anlauf|Anläufen} in den letzten {span_s:s}.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Try one small step at a time, and look at the result before going on.</source>
        <translation>Gehen Sie in kleinen Schritten vor und sehen Sie sich jedes Ergebnis an, bevor Sie weitermachen.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Clicks without an answer</source>
        <translation>Klicks ohne Antwort</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The screen did not respond to {count:click|clicks}</source>
        <translation>Der Bildschirm reagierte auf {count:Klick|Klicks} nicht</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>In the last minute, at the places where you clicked.</source>
        <translation>In der letzten Minute, dort, wo Sie geklickt haben.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>It may be disabled or still busy: see whether something else must be selected or closed first.</source>
        <translation>Vielleicht ist es deaktiviert oder noch beschäftigt: Sehen Sie nach, ob zuerst etwas ausgewählt oder geschlossen werden muss.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The same click again</source>
        <translation>Derselbe Klick noch einmal</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>{count:click|clicks} left the screen as it was</source>
        <translation>{count:Klick änderte|Klicks änderten} auf dem Bildschirm nichts</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>At a place clicked before, within the last {span_s:s}.</source>
        <translation>An einer Stelle, die Sie in den letzten {span_s:s} schon angeklickt hatten.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Perhaps it only switches something on and off: a right click there may show other ways.</source>
        <translation>Vielleicht schaltet es nur etwas ein und aus: Ein Rechtsklick dort zeigt womöglich andere Wege.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Many clicks at one place</source>
        <translation>Viele Klicks an einer Stelle</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>You clicked the same place {count:times}</source>
        <translation>Sie haben {count:times} dieselbe Stelle angeklickt</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>All within 15 s; a double click counts once.</source>
        <translation>Alle innerhalb von 15 s; ein Doppelklick zählt einmal.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>If each click only changes a little, see whether the value can be typed or chosen from a list.</source>
        <translation>Wenn jeder Klick nur wenig ändert, lässt sich der Wert vielleicht eintippen oder aus einer Liste wählen.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Back at the same place</source>
        <translation>Zurück an derselben Stelle</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>You came back to the same place {count:times}</source>
        <translation>Sie kamen {count:times} an dieselbe Stelle zurück</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Within 45 s, with clicks elsewhere in between.</source>
        <translation>Innerhalb von 45 s; dazwischen haben Sie anderswo geklickt.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>A field that does not take what you enter often wants another form of it, or another field first.</source>
        <translation>Nimmt ein Feld Ihre Eingabe nicht an, erwartet es sie oft in anderer Form, oder ein anderes Feld muss zuerst ausgefüllt werden.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Menus left without a choice</source>
        <translation>Menüs ohne Auswahl verlassen</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Looking for a command?</source>
        <translation>Suchen Sie einen Befehl?</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>You opened and left {count:menu|menus} within the last {span_s:s}.</source>
        <translation>Sie haben in den letzten {span_s:s} {count:Menü|Menüs} geöffnet und wieder verlassen.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The Help menu, or a search for commands if there is one, finds a command by its name.</source>
        <translation>Das Hilfemenü, oder eine Suche nach Befehlen, wenn es sie gibt, findet einen Befehl über seinen Namen.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Dialogs opened and left</source>
        <translation>Dialoge geöffnet und verlassen</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Looking for a setting?</source>
        <translation>Suchen Sie eine Einstellung?</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>You opened and left {count:dialog|dialogs} within the last {span_s:s}; nothing else was seen to change.</source>
        <translation>Sie haben in den letzten {span_s:s} {count:Dialog|Dialoge} geöffnet und wieder verlassen; sonst hat sich sichtbar nichts geändert.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The option may be in another dialog, or need something selected before you open this one.</source>
        <translation>Die Einstellung steckt vielleicht in einem anderen Dialog, oder vorher muss etwas ausgewählt sein.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The same entry again</source>
        <translation>Dieselbe Eingabe noch einmal</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>You took back or redid something {count:times}</source>
        <translation>Sie haben {count:times} etwas zurückgenommen oder noch einmal gemacht</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Erased, taken back or made again within the last {span_s:s}.</source>
        <translation>In den letzten {span_s:s} gelöscht, zurückgenommen oder noch einmal gemacht.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Leave it for a moment and check its format and settings: the value itself may be fine.</source>
        <translation>Lassen Sie sie kurz stehen und prüfen Sie Format und Einstellungen: Der Wert selbst ist vielleicht richtig.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>A pause after tries that failed</source>
        <translation>Eine Pause nach vergeblichen Versuchen</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>You have not typed or clicked for {idle_s:s}</source>
        <translation>Sie haben {idle_s:s} nichts getippt oder geklickt</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>What was tried just before was taken back or had no effect.</source>
        <translation>Was kurz davor versucht wurde, wurde zurückgenommen oder blieb ohne Wirkung.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Say in one sentence what should happen: that is also a good question to search for.</source>
        <translation>Sagen Sie in einem Satz, was geschehen soll: Das ist auch eine gute Frage für eine Suche.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Looking for help</source>
        <translation>Suche nach Hilfe</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Looking for how it is done?</source>
        <translation>Möchten Sie wissen, wie es geht?</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>You opened help or a browser {ago_s:s} ago; what was tried before was taken back or had no effect.</source>
        <translation>Sie haben vor {ago_s:s} Hilfe oder einen Browser geöffnet; was davor versucht wurde, wurde zurückgenommen oder hatte keine Wirkung.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The name of the program and what you want to do, in a few words, make a good search.</source>
        <translation>Der Name des Programms und in wenigen Wörtern, was Sie vorhaben: Das ergibt eine gute Suche.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Searching with the pointer</source>
        <translation>Suche mit dem Mauszeiger</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Looking for a button?</source>
        <translation>Suchen Sie eine Schaltfläche?</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>You moved the pointer over {places:place|places} in {span_s:s}, without a key or click.</source>
        <translation>Sie haben den Mauszeiger in {span_s:s} über {places:Stelle|Stellen} bewegt, ohne Taste oder Klick.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Rest the pointer on a button for a moment: most programs then show its name.</source>
        <translation>Lassen Sie den Zeiger kurz auf einer Schaltfläche stehen: Die meisten Programme zeigen dann ihren Namen.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Waiting for the screen</source>
        <translation>Warten auf den Bildschirm</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The screen is changing by itself</source>
        <translation>Der Bildschirm ändert sich von selbst</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>For {watching_s:s} now, without a key or click.</source>
        <translation>Seit {watching_s:s}, ohne Taste oder Klick.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>You can leave it: nothing needs doing while it runs.</source>
        <translation>Sie können es laufen lassen: Dabei ist nichts zu tun.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Scrolling to and fro</source>
        <translation>Hin- und Herscrollen</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Looking for a passage?</source>
        <translation>Suchen Sie eine Stelle?</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>While scrolling up and down you changed direction {turns:times}.</source>
        <translation>Beim Auf- und Abscrollen haben Sie {turns:times} die Richtung gewechselt.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>A second window of the same document, if the program has one, shows two places at once.</source>
        <translation>Ein zweites Fenster desselben Dokuments zeigt zwei Stellen zugleich, wenn das Programm eines bietet.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Comparing two versions</source>
        <translation>Vergleich zweier Fassungen</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>You switched between undo and redo {turns:times}</source>
        <translation>Sie haben {turns:times} zwischen Rückgängig und Wiederholen gewechselt</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The same steps went back and forth.</source>
        <translation>Es ging mit denselben Schritten vor und zurück.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Saving a copy lets you look at both versions side by side.</source>
        <translation>Wenn Sie eine Kopie speichern, können Sie beide Fassungen nebeneinander ansehen.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The same outcome again</source>
        <translation>Wieder dasselbe Ergebnis</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The same outcome again and again</source>
        <translation>Immer wieder dasselbe Ergebnis</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Your last steps brought back what was there before, or ended like the try before.</source>
        <translation>Ihre letzten Schritte führten zum vorherigen Stand zurück oder endeten wie der Versuch davor.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Change one thing that has stayed the same so far, or look up what this step needs first.</source>
        <translation>Ändern Sie eine Sache, die bisher gleich geblieben ist, oder sehen Sie nach, was dieser Schritt voraussetzt.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The same views again</source>
        <translation>Wieder dieselben Ansichten</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Looking for something seen before?</source>
        <translation>Suchen Sie etwas, das Sie schon gesehen haben?</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>By scrolling or turning pages you were back at the same views {count:times} in a minute.</source>
        <translation>Beim Scrollen oder Blättern kamen Sie in einer Minute {count:times} zu denselben Ansichten zurück.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>A search in the document, often Ctrl+F, goes straight to a word that stands where you want to be.</source>
        <translation>Eine Suche im Dokument, oft Strg+F, führt direkt zu einem Wort an der gesuchten Stelle.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The same error again</source>
        <translation>Derselbe Fehler noch einmal</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>{count:run|runs} in a row failed</source>
        <translation>{count:Lauf|Läufe} nacheinander {count:|schlug|schlugen} fehl</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The last one ended with an error that was there before; no run in between was seen to succeed.</source>
        <translation>Der letzte endete mit einem Fehler, den es schon vorher gab; dazwischen war kein Lauf zu sehen, der gelang.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Look at the place that the error names and at the line above it, or search for its words.</source>
        <translation>Sehen Sie sich die Stelle an, die der Fehler nennt, und die Zeile darüber, oder suchen Sie nach seinen Worten.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The same message again</source>
        <translation>Dieselbe Meldung noch einmal</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The same error {count:times}</source>
        <translation>{count:times} derselbe Fehler</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The program said the same error {count:times} within a minute and a half.</source>
        <translation>Das Programm meldete {count:times} denselben Fehler, innerhalb von eineinhalb Minuten.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Read the message once more: it may name a thing that you have not changed yet.</source>
        <translation>Lesen Sie die Meldung noch einmal: Vielleicht nennt sie etwas, das Sie noch nicht geändert haben.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>No single sign</source>
        <translation>Kein einzelnes Anzeichen</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Stuck on something?</source>
        <translation>Kommen Sie nicht weiter?</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>No single sign stands out. Taken together, the last minute looks like trouble to the built-in model ({percent:.0f} % sure).</source>
        <translation>Kein einzelnes Anzeichen sticht heraus. Alles zusammen sieht die letzte Minute für das eingebaute Modell nach Schwierigkeiten aus (zu {percent:.0f} % sicher).</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Go back to the last state that was right, and take one small step from there.</source>
        <translation>Gehen Sie zum letzten Stand zurück, der richtig war, und machen Sie von dort einen kleinen Schritt.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>A language model's judgement</source>
        <translation>Urteil eines Sprachmodells</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>A language model thinks you are stuck</source>
        <translation>Ein Sprachmodell meint, dass Sie gerade nicht weiterkommen</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>It looked at {pictures:picture|pictures}. It now seems {percent:.0f} % likely that you need help.</source>
        <translation>Es hat sich {pictures:Bild|Bilder} angesehen und hält es zu {percent:.0f} % für wahrscheinlich, dass Sie Hilfe brauchen.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>It may be wrong. If it is not: put into words what should happen next, and search for that.</source>
        <translation>Es kann sich irren. Wenn nicht: Sagen Sie in Worten, was als Nächstes geschehen soll, und suchen Sie danach.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>In the flow</source>
        <translation>Im Fluss</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Work has been going on steadily.</source>
        <translation>Die Arbeit geht stetig voran.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Nothing to do: carry on.</source>
        <translation>Nichts zu tun: Machen Sie weiter.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>A sign of another detector</source>
        <translation>Ein Anzeichen eines anderen Detektors</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Need a hand?</source>
        <translation>Brauchen Sie Hilfe?</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The detector in use thinks so, from a sign that Kairos has no words for.</source>
        <translation>Das schließt der verwendete Detektor aus einem Anzeichen, für das Kairos keine Worte hat.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Go back to the last point that was right, change one thing, and look at what it does before the next.</source>
        <translation>Gehen Sie zum letzten Punkt zurück, der richtig war, ändern Sie eine Sache, und sehen Sie sich vor der nächsten an, was sie bewirkt.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Read the message once more, slowly: what does it name that you have not changed yet?</source>
        <translation>Lesen Sie die Meldung noch einmal in Ruhe: Was nennt sie, das Sie noch nicht geändert haben?</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The same message came up {count:times} after “{control}”</source>
        <translation>Nach „{control}“ kam {count:times} dieselbe Meldung</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>It reads “{message}”; all within {span_s:s}.</source>
        <translation>Dort steht „{message}“; alles innerhalb von {span_s:s}.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>All within {span_s:s}.</source>
        <translation>Alle innerhalb von {span_s:s}.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The same message came up {count:times}</source>
        <translation>Dieselbe Meldung kam {count:times}</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>It reads “{message}”, each time after the same control, within {span_s:s}.</source>
        <translation>Dort steht „{message}“, jedes Mal nach demselben Bedienelement, innerhalb von {span_s:s}.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>It appeared each time after the same control, within {span_s:s}.</source>
        <translation>Sie erschien jedes Mal nach demselben Bedienelement, innerhalb von {span_s:s}.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>It appeared again within {span_s:s}.</source>
        <translation>Sie erschien innerhalb von {span_s:s} wieder.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Look for the form it wants: an example in the field, a hint beside it, or a message near it.</source>
        <translation>Sehen Sie nach, welche Form erwartet wird: ein Beispiel im Feld, ein Hinweis daneben oder eine Meldung in der Nähe.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>“{entry}” was marked as wrong {count:times}</source>
        <translation>„{entry}“ wurde {count:times} als falsch markiert</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Each time after “{control}”, within {span_s:s}.</source>
        <translation>Jedes Mal nach „{control}“, alle innerhalb von {span_s:s}.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Each time after the same control, within {span_s:s}.</source>
        <translation>Jedes Mal nach demselben Bedienelement, innerhalb von {span_s:s}.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The same entry was marked as wrong {count:times}</source>
        <translation>Dasselbe Eingabefeld wurde {count:times} als falsch markiert</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>By the program in front, within {span_s:s}.</source>
        <translation>Durch das Programm im Vordergrund, innerhalb von {span_s:s}.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Check the name of the function, its brackets, and the cells it names: one of them may have the error.</source>
        <translation>Prüfen Sie den Namen der Funktion, ihre Klammern und die Zellen, die sie nennt: In einer davon kann der Fehler stecken.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>A formula gave no result {count:times}</source>
        <translation>Eine Formel ergab {count:times} nichts</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>In the sheet in front, within {span_s:s}.</source>
        <translation>In der Tabelle im Vordergrund, innerhalb von {span_s:s}.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The same error dialog came up {count:times} after “{control}”</source>
        <translation>Nach „{control}“ kam {count:times} derselbe Fehlerdialog</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The same error dialog came up {count:times}</source>
        <translation>Derselbe Fehlerdialog kam {count:times}</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>It came up each time after the same control, within {span_s:s}.</source>
        <translation>Er erschien jedes Mal nach demselben Bedienelement, innerhalb von {span_s:s}.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>It came up again within {span_s:s}.</source>
        <translation>Er erschien innerhalb von {span_s:s} wieder.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>See whether Caps Lock is on, which account it asks about, and whether the keyboard layout is yours.</source>
        <translation>Sehen Sie nach, ob die Feststelltaste an ist, um welches Konto es geht und ob die Tastaturbelegung stimmt.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>You were asked for a password {count:times}</source>
        <translation>Sie wurden {count:times} nach einem Passwort gefragt</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The same dialog came up again within {span_s:s}.</source>
        <translation>Derselbe Dialog erschien innerhalb von {span_s:s} wieder.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>It may need something else first: a field to fill in, a box to tick, a thing to select.</source>
        <translation>Vielleicht ist vorher noch etwas zu tun: ein Feld ausfüllen, ein Häkchen setzen, etwas auswählen.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>You pressed “{control}” {count:times}, and nothing else changed</source>
        <translation>Sie haben {count:times} „{control}“ gedrückt, sonst änderte sich nichts</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>All within {span_s:s}, as far as the screen showed.</source>
        <translation>Alle innerhalb von {span_s:s}, soweit der Bildschirm es zeigte.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>You pressed the same control {count:times}</source>
        <translation>Sie haben {count:times} dasselbe Bedienelement gedrückt</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Nothing else changed on the screen; all within {span_s:s}.</source>
        <translation>Sonst änderte sich nichts auf dem Bildschirm; alle innerhalb von {span_s:s}.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>An error dialog has been open for {age_s:s}</source>
        <translation>Ein Fehlerdialog ist seit {age_s:s} offen</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>It reads “{message}”.</source>
        <translation>Dort steht „{message}“.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>No other window has come to the front since.</source>
        <translation>Seitdem ist kein anderes Fenster nach vorn gekommen.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Look for a setting that decides how this step turns out, before taking it once more.</source>
        <translation>Suchen Sie nach einer Einstellung, die bestimmt, was dieser Schritt bewirkt, bevor Sie ihn noch einmal tun.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>You undid “{step}” {count:times}</source>
        <translation>Sie haben {count:times} „{step}“ rückgängig gemacht</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>In {tries:go|goes} within {span_s:s}, with other keys or clicks between.</source>
        <translation>In {tries:Anlauf|Anläufen} innerhalb von {span_s:s}, mit anderen Tasten oder Klicks dazwischen.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>You undid the same kind of step {count:times}</source>
        <translation>Sie haben {count:times} die gleiche Art von Schritt rückgängig gemacht</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Look for a message near the top of the page, or at a field: it may say what is missing.</source>
        <translation>Suchen Sie eine Meldung oben auf der Seite oder bei einem Feld: Dort steht vielleicht, was fehlt.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The same page was loaded {count:times}</source>
        <translation>Dieselbe Seite wurde {count:times} geladen</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>By its title “{page}”; all within {span_s:s}.</source>
        <translation>Dem Titel „{page}“ nach; alles innerhalb von {span_s:s}.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Going by its title; all within {span_s:s}.</source>
        <translation>Dem Titel nach; alles innerhalb von {span_s:s}.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>An error message came up {age_s:s} ago</source>
        <translation>Vor {age_s:s} kam eine Fehlermeldung</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>It read “{message}”.</source>
        <translation>Dort stand „{message}“.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>It appeared in the program in front.</source>
        <translation>Sie erschien im Programm im Vordergrund.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>“{entry}” was marked as wrong {age_s:s} ago</source>
        <translation>„{entry}“ wurde vor {age_s:s} als falsch markiert</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>By the program in front.</source>
        <translation>Durch das Programm im Vordergrund.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>An entry was marked as wrong {age_s:s} ago</source>
        <translation>Ein Eingabefeld wurde vor {age_s:s} als falsch markiert</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Nothing on the screen changed after any of them; all within {span_s:s}.</source>
        <translation>Nach keinem davon änderte sich etwas auf dem Bildschirm; alle innerhalb von {span_s:s}.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Counted by the undo key.</source>
        <translation>Gezählt an Ihrem Tastenkürzel für Rückgängig.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>{count:dialog|dialogs} came up in the last minute</source>
        <translation>In der letzten Minute {count:|kam|kamen} {count:Dialog|Dialoge}</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>They came to the front in this program.</source>
        <translation>Sie kamen in diesem Programm nach vorn.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>All within {span_s:s}; a double click counts once.</source>
        <translation>Alle innerhalb von {span_s:s}; ein Doppelklick zählt einmal.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>A search (often Ctrl+F) finds a word faster than the eye does.</source>
        <translation>Eine Suche (oft Strg+F) findet ein Wort schneller als das Auge.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>You changed direction {count:times} while scrolling</source>
        <translation>Sie haben beim Scrollen {count:times} die Richtung gewechselt</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>In the last minute, up and down in turn.</source>
        <translation>In der letzten Minute, abwechselnd auf und ab.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>You have not typed, clicked or scrolled for {age_s:s}</source>
        <translation>Sie haben {age_s:s} nichts getippt, geklickt oder gescrollt</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Nothing else stands out in the last minute.</source>
        <translation>Sonst sticht in der letzten Minute nichts heraus.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Finding out what to do</source>
        <translation>Orientierung</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Thinking it over</source>
        <translation>Nachdenken</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Looking around</source>
        <translation>Umsehen</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Working</source>
        <translation>Arbeit</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Struggling</source>
        <translation>Schwierigkeiten</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Looking for the fault</source>
        <translation>Fehlersuche</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Waiting</source>
        <translation>Warten</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Checking the result</source>
        <translation>Prüfung des Ergebnisses</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Planning</source>
        <translation>Planen</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Execution</source>
        <translation>Ausführen</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Problem solving</source>
        <translation>Probleme lösen</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Evaluation</source>
        <translation>Prüfen</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>an estimate, by the model nearby</source>
        <translation>eine Einschätzung, vom Modell in der Nähe</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>an estimate, by the strong model</source>
        <translation>eine Einschätzung, vom starken Modell</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>help on a card</source>
        <translation>Hilfe auf einer Karte</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>where you get stuck</source>
        <translation>woran Sie hängen bleiben</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>finding out what it can do</source>
        <translation>herausfinden, was es kann</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>a test</source>
        <translation>ein Test</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>a benchmark</source>
        <translation>ein Benchmark</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>answered</source>
        <translation>beantwortet</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>stopped</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>no answer in time</source>
        <translation>keine Antwort innerhalb der Frist</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>not reached</source>
        <translation>nicht erreicht</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>the server was busy</source>
        <translation>der Server war ausgelastet</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>refused by the server</source>
        <translation>vom Server abgelehnt</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>the key was missing or wrong</source>
        <translation>der Schlüssel fehlte oder war falsch</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>not allowed, so not sent</source>
        <translation>nicht erlaubt, also nicht gesendet</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>over its limits of the day</source>
        <translation>Tagesgrenze erreicht</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>not on battery</source>
        <translation>nicht im Akkubetrieb</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>too long for the model</source>
        <translation>zu lang für das Modell</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>the answer was of no use</source>
        <translation>die Antwort war unbrauchbar</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>overtaken by a newer request</source>
        <translation>durch eine neuere Anfrage überholt</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>no answer so far</source>
        <translation>noch keine Antwort</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>accepted</source>
        <translation>angenommen</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>dismissed</source>
        <translation>abgelehnt</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>snoozed</source>
        <translation>aufgeschoben</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>wrong</source>
        <translation>falsch</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>too early</source>
        <translation>zu früh</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>too late</source>
        <translation>zu spät</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>topic muted</source>
        <translation>Thema stummgeschaltet</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>withdrawn</source>
        <translation>zurückgezogen</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>not answered</source>
        <translation>nicht beantwortet</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The connection to the screen broke</source>
        <translation>Die Verbindung zum Bildschirm ist abgebrochen</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Kairos tries again by itself until the desktop is back; nothing is seen until then.</source>
        <translation>Kairos versucht es von selbst wieder, bis der Desktop zurück ist; bis dahin wird nichts gesehen.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>There is no desktop that Kairos can watch</source>
        <translation>Es gibt keinen Desktop, den Kairos beobachten kann</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Kairos tries again by itself. It can watch X11 and Wayland sessions; to see what works here: kairos doctor.</source>
        <translation>Kairos versucht es von selbst wieder. Es kann X11- und Wayland-Sitzungen beobachten; was hier geht, zeigt: kairos doctor.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>This desktop now shows more than you agreed to</source>
        <translation>Diese Arbeitsfläche zeigt jetzt mehr, als Sie erlaubt haben</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Nothing is seen until you start Kairos again: it then says what there is to see, and asks.</source>
        <translation>Nichts wird gesehen, bis Sie Kairos neu starten: Es sagt dann, was zu sehen ist, und fragt.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The screen cannot be read</source>
        <translation>Der Bildschirm kann nicht gelesen werden</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Kairos tries again by itself; nothing is seen until then. If this stays, see: kairos doctor.</source>
        <translation>Kairos versucht es von selbst wieder; bis dahin wird nichts gesehen. Wenn das bleibt: kairos doctor.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Windows open and close faster than Kairos can follow</source>
        <translation>Fenster öffnen und schließen sich schneller, als Kairos folgen kann</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Nothing is seen until it has caught up, by itself. If this stays, a program opens windows without end.</source>
        <translation>Bis Kairos von selbst aufgeholt hat, sieht es nichts. Bleibt das so, öffnet ein Programm Fenster ohne Ende.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Keys and pointer can no longer be read</source>
        <translation>Tasten und Mauszeiger können nicht mehr gelesen werden</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Kairos tries again by itself and makes no offers until then. If this stays, see: kairos doctor.</source>
        <translation>Kairos versucht es von selbst wieder und macht bis dahin keine Angebote. Wenn das bleibt: kairos doctor.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The disk is full, so Kairos has stopped recording</source>
        <translation>Der Datenträger ist voll, daher zeichnet Kairos nicht mehr auf</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>It goes on helping, and records again once there is space. To delete old sessions: kairos sessions list.</source>
        <translation>Es hilft weiter und zeichnet wieder auf, sobald Platz ist. Alte Sitzungen löschen: kairos sessions list.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Kairos cannot write the session</source>
        <translation>Kairos kann die Sitzung nicht schreiben</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>It tries again by itself. To see what is wrong with the disk or folder: kairos doctor.</source>
        <translation>Es versucht es von selbst wieder. Was mit Datenträger oder Ordner nicht stimmt, zeigt: kairos doctor.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The study that you take part in cannot be read</source>
        <translation>Die Studie, an der Sie teilnehmen, kann nicht gelesen werden</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Nothing is offered, asked or packed for it. Leave it, and say so to the researchers: kairos study leave.</source>
        <translation>Für sie wird nichts angeboten, gefragt oder verpackt. Verlassen Sie sie und geben Sie den Forschenden Bescheid: kairos study leave.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>What you send in a study cannot be read</source>
        <translation>Was Sie in einer Studie senden, kann nicht gelesen werden</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Nothing of it is packed or sent any more. Leave it, and say so to the researchers: kairos study leave.</source>
        <translation>Davon wird nichts mehr verpackt oder gesendet. Verlassen Sie die Studie und geben Sie den Forschenden Bescheid: kairos study leave.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Old sessions, or requests to models, will be deleted</source>
        <translation>Alte Sitzungen oder Anfragen an Modelle werden bald gelöscht</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>They are older, or take more space, than your settings keep. Kairos deletes them after a day or more. To keep them longer: kairos config set storage.keep_days; to keep a copy: kairos sessions export.</source>
        <translation>Sie sind älter oder brauchen mehr Platz, als Ihre Einstellungen erlauben. Kairos löscht sie frühestens nach einem Tag. Länger behalten: kairos config set storage.keep_days; eine Kopie behalten: kairos sessions export.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The folder of the running session was removed or overwritten</source>
        <translation>Der Ordner der laufenden Sitzung wurde entfernt oder überschrieben</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Kairos has begun a new session; there is nothing to do. What the last one had recorded may be lost.</source>
        <translation>Kairos hat eine neue Sitzung begonnen; es ist nichts zu tun. Was die letzte aufgezeichnet hatte, ist vielleicht verloren.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Controls are not understood for now</source>
        <translation>Bedienelemente werden zurzeit nicht verstanden</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The desktop's accessibility service went away. Kairos goes on without it and tries again; see: kairos doctor.</source>
        <translation>Der Dienst des Desktops für Barrierefreiheit ist weg. Kairos macht ohne ihn weiter und versucht es wieder: kairos doctor.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>There is no microphone to record</source>
        <translation>Es gibt kein Mikrofon zum Aufnehmen</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>It was pulled out, or something else holds it. Kairos goes on without sound and tries again; see: kairos doctor.</source>
        <translation>Es wurde abgezogen oder wird gerade von etwas anderem benutzt. Kairos arbeitet ohne Ton weiter und versucht es wieder; siehe: kairos doctor.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>A program is not asked about its controls for a while</source>
        <translation>Ein Programm wird vorerst nicht nach seinen Bedienelementen gefragt</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>It does not answer, or its answers have taken long. Kairos asks it again by itself; see: kairos doctor.</source>
        <translation>Es antwortet nicht oder nur langsam. Kairos fragt es von selbst wieder; siehe: kairos doctor.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>A model that you switched on cannot be used</source>
        <translation>Ein Modell, das Sie eingeschaltet haben, ist nicht benutzbar</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Kairos goes on without it. To see what is wrong with it: kairos models test.</source>
        <translation>Kairos macht ohne es weiter. Was nicht stimmt, zeigt: kairos models test.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>A model that you switched on cannot be reached</source>
        <translation>Ein Modell, das Sie eingeschaltet haben, ist nicht erreichbar</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Kairos goes on without it and tries again by itself. To see what is wrong: kairos models test.</source>
        <translation>Kairos macht ohne es weiter und versucht es von selbst wieder. Was nicht stimmt, zeigt: kairos models test.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The daily limit of a model is reached</source>
        <translation>Das Tageslimit eines Modells ist erreicht</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Kairos goes on without it until midnight. To see the limits: kairos config show.</source>
        <translation>Kairos macht bis Mitternacht ohne es weiter. Die Grenzen zeigt: kairos config show.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The model did not answer</source>
        <translation>Das Modell hat nicht geantwortet</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>It cannot be reached, is busy, or took too long. To try it: kairos models test.</source>
        <translation>Es ist nicht erreichbar, beschäftigt oder brauchte zu lange. Zum Ausprobieren: kairos models test.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The model's answer could not be used</source>
        <translation>Die Antwort des Modells war nicht brauchbar</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>It was broken off, or not what was asked for. Ask again, or try the model: kairos models test.</source>
        <translation>Sie brach ab oder war nicht, was gefragt war. Fragen Sie noch einmal, oder prüfen Sie das Modell: kairos models test.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The model is not asked on battery</source>
        <translation>Im Akkubetrieb wird das Modell nicht gefragt</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Plug the machine in, or allow it: kairos config set local_model.on_battery true.</source>
        <translation>Schließen Sie das Netzteil an, oder erlauben Sie es: kairos config set local_model.on_battery true.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The model is not asked now</source>
        <translation>Das Modell wird jetzt nicht gefragt</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Kairos is paused, an excluded window is open, or what you ask about is gone. Ask again once it is watching.</source>
        <translation>Kairos pausiert, ein ausgeschlossenes Fenster ist offen, oder das, wonach Sie fragen, ist nicht mehr da. Fragen Sie noch einmal, sobald wieder beobachtet wird.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>A keyboard shortcut of Kairos does not work</source>
        <translation>Ein Tastenkürzel von Kairos funktioniert nicht</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>The desktop or another program already has these keys. To choose others: kairos config set.</source>
        <translation>Der Desktop oder ein anderes Programm hat diese Tasten schon. Andere wählen: kairos config set.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>A keyboard shortcut of Kairos cannot be read</source>
        <translation>Ein Tastenkürzel von Kairos ist nicht lesbar</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>It must be one key with Ctrl, Alt or Super, such as Ctrl+Alt+K. To choose it: kairos config set.</source>
        <translation>Es muss eine Taste mit Strg, Alt oder Super sein, etwa Strg+Alt+K. Auswählen: kairos config set.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>There is no tray for the Kairos icon</source>
        <translation>Es gibt keinen Infobereich für das Symbol von Kairos</translation>
    </message>
    <message>
        <location filename="../../../storage/data/messages.toml"/>
        <source>Kairos runs all the same, and the icon appears as soon as a panel shows it. Until then use the small window.</source>
        <translation>Kairos läuft trotzdem, und das Symbol erscheint, sobald eine Leiste es zeigt. Nehmen Sie bis dahin das kleine Fenster.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <source>Take part in a study?</source>
        <translation>An einer Studie teilnehmen?</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <source>You are asked to take part in a study with Kairos. Nothing has been sent so far.</source>
        <translation>Sie werden gebeten, an einer Studie mit Kairos teilzunehmen. Bisher wurde nichts gesendet.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <source>The study has changed</source>
        <translation>Die Studie hat sich geändert</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <source>Nothing more is sent until you have answered. Until then all else goes on as you agreed before.</source>
        <translation>Bis Sie geantwortet haben, wird nichts mehr gesendet. Alles andere läuft weiter, wie Sie zuvor zugestimmt haben.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <source>Compare these eight words with those on the paper you were given. If one differs, do not take part.</source>
        <translation>Vergleichen Sie diese acht Wörter mit denen auf dem Papier, das Sie bekommen haben. Weicht eines ab, nehmen Sie nicht teil.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <source>Turn on what you agree to, below the text. Whatever stays off is not sent.</source>
        <translation>Schalten Sie unter dem Text ein, wozu Sie einwilligen. Was aus bleibt, wird nicht gesendet.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <source>You can leave at any time, without a reason, in the tray menu or with: kairos study leave. Taking back your consent to Kairos leaves the study, too.</source>
        <translation>Sie können jederzeit ohne Grund aussteigen, im Menü des Symbols oder mit: kairos study leave. Wenn Sie Ihre Einwilligung zu Kairos widerrufen, verlassen Sie auch die Studie.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <source>Send numbers about offers</source>
        <translation>Zahlen über Angebote senden</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <source>How likely it seemed that you needed help, which rule stopped an offer, what was offered, and how the five minutes after it went. No texts, pictures, titles, programs or keys.</source>
        <translation>Wie wahrscheinlich es schien, dass Sie Hilfe brauchen, welche Regel ein Angebot verhindert hat, was angeboten wurde und wie die fünf Minuten danach verliefen. Keine Texte, Bilder, Titel, Programme oder Tasten.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <source>Add the kind of program</source>
        <translation>Dazu die Art des Programms</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <source>Such as "browser" or "office". Never the name of the program or of a page.</source>
        <translation>Etwa „browser“ oder „office“. Nie der Name des Programms oder einer Seite.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <source>Be asked questions</source>
        <translation>Fragen bekommen</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <source>At most 6 a day, answered with up to 3 taps; the number of each answer is sent. You can skip any, or say that you want no more that day.</source>
        <translation>Höchstens 6 am Tag, mit bis zu 3 Klicks beantwortet; die Nummer jeder Antwort wird gesendet. Sie können jede auslassen oder sagen, dass Sie an dem Tag keine mehr möchten.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <source>Be given tasks</source>
        <translation>Aufgaben bekommen</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <source>A window shows one task after the other; you begin and end each. When, how it ended, and how well you say you know a program are sent.</source>
        <translation>Ein Fenster zeigt eine Aufgabe nach der anderen; jede beginnen und beenden Sie selbst. Gesendet wird, wann das war, wie sie endete und wie gut Sie nach eigener Angabe ein Programm kennen.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <source>Send what you say of your work</source>
        <translation>Ihre Angaben zu Ihrer Arbeit senden</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <source>Of stretches, in the window “How was it?”: when and for how long, what you were doing, whether you needed help. What you change is sent again, what you delete is taken back. Not your words.</source>
        <translation>Zu Abschnitten, im Fenster „Wie war es?“: wann und wie lange, was Sie getan haben, ob Sie Hilfe brauchten. Was Sie ändern, wird neu gesendet; was Sie löschen, wird zurückgenommen. Nicht Ihre Worte.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <source>Add your words</source>
        <translation>Ihre Worte mitsenden</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <source>What you wrote there, and what you said aloud in these stretches, word for word. Others may have been heard too. Your voice itself is not sent, and the study records none: that stays your choice in Kairos.</source>
        <translation>Was Sie dort geschrieben und in diesen Abschnitten laut gesagt haben, Wort für Wort. Auch andere können zu hören gewesen sein. Ihre Stimme selbst wird nicht gesendet, und die Studie nimmt keine auf: Das bleibt Ihre Entscheidung in Kairos.</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <source>How stuck were you just before this?</source>
        <translation>Wie sehr kamen Sie unmittelbar davor nicht weiter?</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <location filename="../../../ui/views/study.py"/>
        <source>Not at all</source>
        <translation>Gar nicht</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <location filename="../../../ui/views/study.py"/>
        <source>A little</source>
        <translation>Ein wenig</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <source>Somewhat</source>
        <translation>Etwas</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <source>Quite</source>
        <translation>Ziemlich</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <source>Completely</source>
        <translation>Völlig</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <source>Would a hint have helped?</source>
        <translation>Hätte ein Hinweis geholfen?</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <location filename="../../../ui/views/labelling.py"/>
        <source>No</source>
        <translation>Nein</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <source>Not sure</source>
        <translation>Nicht sicher</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <location filename="../../../ui/views/labelling.py"/>
        <source>Yes</source>
        <translation>Ja</translation>
    </message>
    <message>
        <location filename="../../../storage/data/study.toml"/>
        <source>Was this a bad moment to ask?</source>
        <translation>War das ein schlechter Moment zum Fragen?</translation>
    </message>
    <message>
        <location filename="../../../storage/db/codec.py"/>
        <source>row {seq} is of a kind that this version of Kairos does not know</source>
        <translation>Zeile {seq} ist von einer Art, die diese Version von Kairos nicht kennt</translation>
    </message>
    <message>
        <location filename="../../../storage/db/codec.py"/>
        <source>row {seq} ({kind}) is longer than {limit} bytes</source>
        <translation>Zeile {seq} ({kind}) ist länger als {limit} Bytes</translation>
    </message>
    <message>
        <location filename="../../../storage/db/codec.py"/>
        <source>row {seq} ({kind}) holds a number beyond 64 bits</source>
        <translation>Zeile {seq} ({kind}) enthält eine Zahl von mehr als 64 Bit</translation>
    </message>
    <message>
        <location filename="../../../storage/db/codec.py"/>
        <source>row {seq} contradicts its own number or time</source>
        <translation>Zeile {seq} widerspricht ihrer eigenen Nummer oder Zeit</translation>
    </message>
    <message>
        <location filename="../../../storage/db/codec.py"/>
        <source>row {seq} is not a valid {kind} row</source>
        <translation>Zeile {seq} ist keine gültige Zeile der Art {kind}</translation>
    </message>
    <message>
        <location filename="../../../storage/db/connection.py"/>
        <source>{path} cannot be read or written: {why}</source>
        <translation>{path} lässt sich nicht lesen oder schreiben: {why}</translation>
    </message>
    <message>
        <location filename="../../../storage/db/connection.py"/>
        <source>{path} was written by an earlier Kairos, whose files this one does not read</source>
        <translation>{path} stammt von einem früheren Kairos, dessen Dateien dieses nicht liest</translation>
    </message>
    <message>
        <location filename="../../../storage/db/connection.py"/>
        <source>{path} was written by a newer Kairos</source>
        <translation>{path} stammt von einem neueren Kairos</translation>
    </message>
    <message>
        <location filename="../../../storage/db/connection.py"/>
        <source>{path} is not a file</source>
        <translation>{path} ist keine Datei</translation>
    </message>
    <message>
        <location filename="../../../storage/db/connection.py"/>
        <source>{path} holds nothing yet: its rows are in {wal}, which is missing</source>
        <translation>{path} enthält noch nichts: Die Zeilen stehen in {wal}, und diese Datei fehlt</translation>
    </message>
    <message>
        <location filename="../../../storage/db/connection.py"/>
        <location filename="../../../storage/state/markers.py"/>
        <location filename="../../../daemon/purge/intent.py"/>
        <source>check who owns the folder and its file system</source>
        <translation>Prüfen Sie, wem der Ordner gehört, und das Dateisystem</translation>
    </message>
    <message>
        <location filename="../../../storage/db/connection.py"/>
        <source>update Kairos</source>
        <translation>Aktualisieren Sie Kairos</translation>
    </message>
    <message>
        <location filename="../../../storage/db/connection.py"/>
        <source>delete it, or look at it with the Kairos that wrote it</source>
        <translation>Löschen Sie es, oder sehen Sie es mit dem Kairos an, das es geschrieben hat</translation>
    </message>
    <message>
        <location filename="../../../storage/db/connection.py"/>
        <location filename="../../../storage/files.py"/>
        <location filename="../../../storage/session/log.py"/>
        <location filename="../../../storage/settings_file.py"/>
        <location filename="../../../storage/state/markers.py"/>
        <location filename="../../../storage/state/store.py"/>
        <location filename="../../../daemon/preferences/autostart.py"/>
        <source>{path} cannot be read: {why}</source>
        <translation>{path} lässt sich nicht lesen: {why}</translation>
    </message>
    <message>
        <location filename="../../../storage/db/connection.py"/>
        <source>{path} cannot be opened: {why}</source>
        <translation>{path} lässt sich nicht öffnen: {why}</translation>
    </message>
    <message>
        <location filename="../../../storage/db/connection.py"/>
        <source>{path} is not a usable database: {why}</source>
        <translation>{path} ist keine brauchbare Datenbank: {why}</translation>
    </message>
    <message>
        <location filename="../../../storage/db/connection.py"/>
        <source>copy the whole folder of the session, not this file alone</source>
        <translation>Kopieren Sie den ganzen Ordner der Sitzung, nicht diese Datei allein</translation>
    </message>
    <message>
        <location filename="../../../storage/db/connection.py"/>
        <location filename="../../../storage/session/log.py"/>
        <source>{path} is damaged: {why}</source>
        <translation>{path} ist beschädigt: {why}</translation>
    </message>
    <message>
        <location filename="../../../storage/db/connection.py"/>
        <source>free some disk space</source>
        <translation>Schaffen Sie Platz auf dem Datenträger</translation>
    </message>
    <message>
        <location filename="../../../storage/db/connection.py"/>
        <location filename="../../../storage/session/log.py"/>
        <location filename="../../../storage/session/retention.py"/>
        <location filename="../../../daemon/purge/carry_out.py"/>
        <source>check who owns it</source>
        <translation>Prüfen Sie, wem es gehört</translation>
    </message>
    <message>
        <location filename="../../../storage/db/connection.py"/>
        <source>put a whole copy in its place, or delete it</source>
        <translation>Ersetzen Sie sie durch eine unbeschädigte Kopie, oder löschen Sie sie</translation>
    </message>
    <message>
        <location filename="../../../storage/db/connection.py"/>
        <source>remove {path}; {if_damaged}</source>
        <translation>Entfernen Sie {path}; {if_damaged}</translation>
    </message>
    <message>
        <location filename="../../../storage/errors.py"/>
        <source>Permission denied</source>
        <translation>Keine Berechtigung</translation>
    </message>
    <message>
        <location filename="../../../storage/errors.py"/>
        <source>Resource temporarily unavailable</source>
        <translation>Zurzeit nicht verfügbar</translation>
    </message>
    <message>
        <location filename="../../../storage/errors.py"/>
        <source>Device or resource busy</source>
        <translation>Gerät oder Ressource belegt</translation>
    </message>
    <message>
        <location filename="../../../storage/errors.py"/>
        <source>Connection refused</source>
        <translation>Verbindung abgelehnt</translation>
    </message>
    <message>
        <location filename="../../../storage/errors.py"/>
        <source>Connection reset by peer</source>
        <translation>Verbindung von der Gegenseite beendet</translation>
    </message>
    <message>
        <location filename="../../../storage/errors.py"/>
        <source>Disk quota exceeded</source>
        <translation>Kontingent des Datenträgers überschritten</translation>
    </message>
    <message>
        <location filename="../../../storage/errors.py"/>
        <source>File exists</source>
        <translation>Die Datei gibt es schon</translation>
    </message>
    <message>
        <location filename="../../../storage/errors.py"/>
        <source>File too large</source>
        <translation>Die Datei ist zu groß</translation>
    </message>
    <message>
        <location filename="../../../storage/errors.py"/>
        <source>Invalid argument</source>
        <translation>Ungültiges Argument</translation>
    </message>
    <message>
        <location filename="../../../storage/errors.py"/>
        <source>Input/output error</source>
        <translation>Ein-/Ausgabefehler</translation>
    </message>
    <message>
        <location filename="../../../storage/errors.py"/>
        <source>Is a directory</source>
        <translation>Ist ein Ordner</translation>
    </message>
    <message>
        <location filename="../../../storage/errors.py"/>
        <source>Too many levels of symbolic links</source>
        <translation>Zu viele symbolische Verknüpfungen hintereinander</translation>
    </message>
    <message>
        <location filename="../../../storage/errors.py"/>
        <source>Too many open files</source>
        <translation>Zu viele offene Dateien</translation>
    </message>
    <message>
        <location filename="../../../storage/errors.py"/>
        <source>File name too long</source>
        <translation>Der Dateiname ist zu lang</translation>
    </message>
    <message>
        <location filename="../../../storage/errors.py"/>
        <source>No such file or directory</source>
        <translation>Datei oder Ordner nicht gefunden</translation>
    </message>
    <message>
        <location filename="../../../storage/errors.py"/>
        <source>Cannot allocate memory</source>
        <translation>Kein Speicher verfügbar</translation>
    </message>
    <message>
        <location filename="../../../storage/errors.py"/>
        <source>No space left on device</source>
        <translation>Kein Platz mehr auf dem Datenträger</translation>
    </message>
    <message>
        <location filename="../../../storage/errors.py"/>
        <source>Not a directory</source>
        <translation>Ist kein Ordner</translation>
    </message>
    <message>
        <location filename="../../../storage/errors.py"/>
        <source>Directory not empty</source>
        <translation>Der Ordner ist nicht leer</translation>
    </message>
    <message>
        <location filename="../../../storage/errors.py"/>
        <source>No such device or address</source>
        <translation>Gerät oder Adresse nicht gefunden</translation>
    </message>
    <message>
        <location filename="../../../storage/errors.py"/>
        <source>Operation not permitted</source>
        <translation>Nicht erlaubt</translation>
    </message>
    <message>
        <location filename="../../../storage/errors.py"/>
        <source>Broken pipe</source>
        <translation>Unterbrochene Verbindung</translation>
    </message>
    <message>
        <location filename="../../../storage/errors.py"/>
        <source>Read-only file system</source>
        <translation>Das Dateisystem ist schreibgeschützt</translation>
    </message>
    <message>
        <location filename="../../../storage/errors.py"/>
        <source>Connection timed out</source>
        <translation>Zeitüberschreitung der Verbindung</translation>
    </message>
    <message>
        <location filename="../../../storage/errors.py"/>
        <source>Text file busy</source>
        <translation>Die Programmdatei wird gerade benutzt</translation>
    </message>
    <message>
        <location filename="../../../storage/files.py"/>
        <source>check the path, and whether you may read it</source>
        <translation>Prüfen Sie den Pfad, und ob Sie dort lesen dürfen</translation>
    </message>
    <message>
        <location filename="../../../storage/files.py"/>
        <source>{path} cannot be used as a folder: {why}</source>
        <translation>{path} lässt sich nicht als Ordner benutzen: {why}</translation>
    </message>
    <message>
        <location filename="../../../storage/files.py"/>
        <source>check who owns it and the free space</source>
        <translation>Prüfen Sie, wem es gehört, und den freien Platz</translation>
    </message>
    <message>
        <location filename="../../../storage/files.py"/>
        <location filename="../../../participant/delivery/outbox.py"/>
        <source>{path} is not a plain file</source>
        <translation>{path} ist keine gewöhnliche Datei</translation>
    </message>
    <message>
        <location filename="../../../storage/files.py"/>
        <source>{folder} holds more files than a session or recording has ({most})</source>
        <translation>{folder} enthält mehr Dateien, als eine Sitzung oder Aufzeichnung hat ({most})</translation>
    </message>
    <message>
        <location filename="../../../storage/files.py"/>
        <source>{path}: there is no such home folder</source>
        <translation>{path}: diesen persönlichen Ordner gibt es nicht</translation>
    </message>
    <message>
        <location filename="../../../storage/files.py"/>
        <source>{path} belongs to another user</source>
        <translation>{path} gehört jemand anderem</translation>
    </message>
    <message>
        <location filename="../../../storage/files.py"/>
        <source>{path} cannot be opened as a plain file: {why}</source>
        <translation>{path} lässt sich nicht als gewöhnliche Datei öffnen: {why}</translation>
    </message>
    <message>
        <location filename="../../../storage/files.py"/>
        <source>{path} is no path of a file</source>
        <translation>{path} ist kein Pfad einer Datei</translation>
    </message>
    <message>
        <location filename="../../../storage/files.py"/>
        <source>give the path in full</source>
        <translation>Geben Sie den ganzen Pfad an</translation>
    </message>
    <message>
        <location filename="../../../storage/files.py"/>
        <source>remove it or choose another folder</source>
        <translation>Entfernen Sie es, oder wählen Sie einen anderen Ordner</translation>
    </message>
    <message>
        <location filename="../../../storage/messages.py"/>
        <source>You asked for help</source>
        <translation>Sie haben um Hilfe gebeten</translation>
    </message>
    <message>
        <location filename="../../../storage/plugins.py"/>
        <source>See the worked example in detectors/protocol.py or policies/protocol.py.</source>
        <translation>Ein ausgeführtes Beispiel steht in detectors/protocol.py und policies/protocol.py.</translation>
    </message>
    <message>
        <location filename="../../../storage/plugins.py"/>
        <source>Set {setting} to {known}, or to package.module:factory of an installed module.</source>
        <translation>Setzen Sie {setting} auf {known} oder auf package.module:factory eines installierten Moduls.</translation>
    </message>
    <message>
        <location filename="../../../storage/plugins.py"/>
        <source>{setting} names nothing known: {spec}.</source>
        <translation>{setting} nennt nichts Bekanntes: {spec}.</translation>
    </message>
    <message>
        <location filename="../../../storage/plugins.py"/>
        <source>{setting}: {module_name} has nothing to call named {attribute}.</source>
        <translation>{setting}: {module_name} hat nichts Aufrufbares namens {attribute}.</translation>
    </message>
    <message>
        <location filename="../../../storage/plugins.py"/>
        <source>{setting}: what the factory built lacks {missing}.</source>
        <translation>{setting}: Was die Funktion liefert, hat kein {missing}.</translation>
    </message>
    <message>
        <location filename="../../../storage/plugins.py"/>
        <source>{setting}: cannot import {module_name} ({why}).</source>
        <translation>{setting}: {module_name} lässt sich nicht importieren ({why}).</translation>
    </message>
    <message>
        <location filename="../../../storage/plugins.py"/>
        <source>{setting}: the factory does not take what it is called with ({why}).</source>
        <translation>{setting}: Die Funktion nimmt nicht an, womit sie aufgerufen wird ({why}).</translation>
    </message>
    <message>
        <location filename="../../../storage/plugins.py"/>
        <source>{setting}: what it names failed ({name}: {why}).</source>
        <translation>{setting}: Das Genannte ist gescheitert ({name}: {why}).</translation>
    </message>
    <message>
        <location filename="../../../storage/plugins.py"/>
        <source>It is no part of Kairos: correct it where it comes from, or set {setting} to another.</source>
        <translation>Es gehört nicht zu Kairos: Berichtigen Sie es dort, woher es kommt, oder setzen Sie {setting} auf etwas anderes.</translation>
    </message>
    <message>
        <location filename="../../../storage/sent/log.py"/>
        <source>what was sent before can then not be shown</source>
        <translation>was vorher gesendet wurde, lässt sich dann nicht mehr zeigen</translation>
    </message>
    <message>
        <location filename="../../../storage/sent/reader.py"/>
        <source>entry {number} of the sent log is damaged: its headers cannot be read</source>
        <translation>Eintrag {number} im Protokoll des Gesendeten ist beschädigt: Sein Kopf lässt sich nicht lesen</translation>
    </message>
    <message>
        <location filename="../../../storage/session/heartbeat.py"/>
        <location filename="../../../storage/session/labels.py"/>
        <location filename="../../../storage/settings_file.py"/>
        <location filename="../../../storage/state/markers.py"/>
        <location filename="../../../storage/state/store.py"/>
        <location filename="../../../daemon/preferences/autostart.py"/>
        <location filename="../../../daemon/purge/carry_out.py"/>
        <location filename="../../../daemon/purge/intent.py"/>
        <source>{path} cannot be written: {why}</source>
        <translation>{path} lässt sich nicht schreiben: {why}</translation>
    </message>
    <message>
        <location filename="../../../storage/session/heartbeat.py"/>
        <source>check the free space</source>
        <translation>Prüfen Sie den freien Platz</translation>
    </message>
    <message>
        <location filename="../../../storage/session/labels.py"/>
        <source>{path} is larger than a file of labels may be</source>
        <translation>{path} ist größer, als eine Datei mit Angaben sein darf</translation>
    </message>
    <message>
        <location filename="../../../storage/session/labels.py"/>
        <source>{path} was written by another version of Kairos</source>
        <translation>{path} wurde von einer anderen Version von Kairos geschrieben</translation>
    </message>
    <message>
        <location filename="../../../storage/session/labels.py"/>
        <source>{path} holds an impossible label</source>
        <translation>{path} enthält eine unmögliche Angabe</translation>
    </message>
    <message>
        <location filename="../../../storage/session/labels.py"/>
        <source>this label cannot be kept: it is too long, or there are too many</source>
        <translation>Diese Angabe kann nicht gespeichert werden: Sie ist zu lang, oder es sind zu viele</translation>
    </message>
    <message>
        <location filename="../../../storage/session/labels.py"/>
        <source>this label is about no time of the session</source>
        <translation>Diese Angabe betrifft keine Zeit der Sitzung</translation>
    </message>
    <message>
        <location filename="../../../storage/session/labels.py"/>
        <source>{path} holds no labels that can be read</source>
        <translation>{path} enthält keine lesbaren Angaben</translation>
    </message>
    <message>
        <location filename="../../../storage/session/labels.py"/>
        <source>labels of this session were deleted meanwhile</source>
        <translation>Angaben zu dieser Sitzung wurden inzwischen gelöscht</translation>
    </message>
    <message>
        <location filename="../../../storage/session/labels.py"/>
        <location filename="../../../storage/session/transcript.py"/>
        <source>move it out of the session's folder</source>
        <translation>Verschieben Sie sie aus dem Ordner der Sitzung</translation>
    </message>
    <message>
        <location filename="../../../storage/session/labels.py"/>
        <source>check that the session is still there, and the free space</source>
        <translation>Prüfen Sie, ob die Sitzung noch da ist, und den freien Platz</translation>
    </message>
    <message>
        <location filename="../../../storage/session/log.py"/>
        <source>it does not begin with the first row of a session</source>
        <translation>die erste Zeile einer Sitzung fehlt</translation>
    </message>
    <message>
        <location filename="../../../storage/session/log.py"/>
        <source>{path} is no session: it holds no {database}</source>
        <translation>{path} ist keine Sitzung: Darin ist keine Datei {database}</translation>
    </message>
    <message>
        <location filename="../../../storage/session/log.py"/>
        <source>{found} sessions begin with {name}</source>
        <translation>{found} Sitzungen beginnen mit {name}</translation>
    </message>
    <message>
        <location filename="../../../storage/session/log.py"/>
        <source>copy what can be read of it: kairos sessions recover {folder}</source>
        <translation>Kopieren Sie, was davon lesbar ist: kairos sessions recover {folder}</translation>
    </message>
    <message>
        <location filename="../../../storage/session/log.py"/>
        <source>{path} is not a Kairos session</source>
        <translation>{path} ist keine Sitzung von Kairos</translation>
    </message>
    <message>
        <location filename="../../../storage/session/log.py"/>
        <source>see: kairos sessions list</source>
        <translation>Siehe: kairos sessions list</translation>
    </message>
    <message>
        <location filename="../../../storage/session/log.py"/>
        <source>there is no session {name}</source>
        <translation>Es gibt keine Sitzung {name}</translation>
    </message>
    <message>
        <location filename="../../../storage/session/log.py"/>
        <source>there is no session {name} in {folder}</source>
        <translation>Es gibt keine Sitzung {name} in {folder}</translation>
    </message>
    <message>
        <location filename="../../../storage/session/log.py"/>
        <source>give more of its name</source>
        <translation>Geben Sie mehr von ihrem Namen an</translation>
    </message>
    <message>
        <location filename="../../../storage/session/log.py"/>
        <source>{path} cannot be created: {why}</source>
        <translation>{path} lässt sich nicht anlegen: {why}</translation>
    </message>
    <message>
        <location filename="../../../storage/session/log.py"/>
        <source>row {seq} is not text</source>
        <translation>Zeile {seq} ist kein Text</translation>
    </message>
    <message>
        <location filename="../../../storage/session/log.py"/>
        <source>check the free space and who owns the folder</source>
        <translation>Prüfen Sie den freien Platz, und wem der Ordner gehört</translation>
    </message>
    <message>
        <location filename="../../../storage/session/retention.py"/>
        <source>{folder} is not a session in {sessions_dir}; nothing was deleted</source>
        <translation>{folder} ist keine Sitzung in {sessions_dir}; nichts wurde gelöscht</translation>
    </message>
    <message>
        <location filename="../../../storage/session/retention.py"/>
        <location filename="../../../daemon/purge/carry_out.py"/>
        <source>{folder} is being recorded</source>
        <translation>{folder} wird gerade aufgezeichnet</translation>
    </message>
    <message>
        <location filename="../../../storage/session/retention.py"/>
        <source>{path} cannot be deleted: {why}</source>
        <translation>{path} lässt sich nicht löschen: {why}</translation>
    </message>
    <message>
        <location filename="../../../storage/session/retention.py"/>
        <source>end it first: kairos quit</source>
        <translation>Beenden Sie sie zuerst: kairos quit</translation>
    </message>
    <message>
        <location filename="../../../storage/session/transcript.py"/>
        <source>{path} holds no words that can be read</source>
        <translation>{path} enthält keine Wörter, die gelesen werden können</translation>
    </message>
    <message>
        <location filename="../../../storage/session/transcript.py"/>
        <source>what was said in {folder} cannot be kept: {why}</source>
        <translation>Was in {folder} gesagt wurde, kann nicht behalten werden: {why}</translation>
    </message>
    <message>
        <location filename="../../../storage/session/transcript.py"/>
        <location filename="../../../daemon/purge/carry_out.py"/>
        <source>check its disk</source>
        <translation>Prüfen Sie den Datenträger</translation>
    </message>
    <message>
        <location filename="../../../storage/session/video.py"/>
        <source>a row names a picture in no file of its session</source>
        <translation>Eine Zeile nennt ein Bild, das in keiner Datei ihrer Sitzung ist</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>a number</source>
        <translation>eine Zahl</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>a whole number</source>
        <translation>eine ganze Zahl</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>true or false</source>
        <translation>true oder false</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>a text</source>
        <translation>einen Text</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>{path} is not a valid settings file: {why}</source>
        <translation>{path} ist keine gültige Einstellungsdatei: {why}</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>{where}: {what}</source>
        <translation>{where}: {what}</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>{path} changes all the time, so nothing was written</source>
        <translation>{path} ändert sich ständig, daher wurde nichts geschrieben</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>a table</source>
        <translation>eine Tabelle</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>a list</source>
        <translation>eine Liste</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>a number with that many digits</source>
        <translation>eine Zahl mit so vielen Stellen</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>a list of texts</source>
        <translation>eine Liste von Texten</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>it is larger than {limit} kB</source>
        <translation>Sie ist größer als {limit} kB</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>correct or remove it</source>
        <translation>Berichtigen oder entfernen Sie sie</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>close what writes it</source>
        <translation>Schließen Sie, was sie schreibt</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <location filename="../../../daemon/models/tiers.py"/>
        <source>did you mean {near}?</source>
        <translation>Meinten Sie {near}?</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>see: kairos config show</source>
        <translation>Siehe: kairos config show</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>{kind} from {low:,.10g} to {high:,.10g}</source>
        <translation>{kind} von {low:,.10g} bis {high:,.10g}</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>--set wants KEY=VALUE, not {override}</source>
        <translation>--set erwartet KEY=VALUE, nicht {override}</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>it is not a plain file</source>
        <translation>Sie ist keine gewöhnliche Datei</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>it is not UTF-8</source>
        <translation>Sie ist nicht in UTF-8</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>there is no setting {key}</source>
        <translation>Es gibt keine Einstellung {key}</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>{key} wants {wanted}, not {value}</source>
        <translation>{key} erwartet {wanted}, nicht {value}</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>what it means: docs/settings.md; what is in force: kairos config show</source>
        <translation>Was es bedeutet: docs/settings.md; was gilt: kairos config show</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>{key} holds more than an address: a name, password or key</source>
        <translation>{key} enthält mehr als eine Adresse: einen Namen, ein Passwort oder einen Schlüssel</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>give the address alone, without @, ? and #, and say with key_name where the key is</source>
        <translation>Geben Sie nur die Adresse an, ohne @, ? und #, und mit key_name, wo der Schlüssel liegt</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>example: --set policy.cooldown_s=600</source>
        <translation>Beispiel: --set policy.cooldown_s=600</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <location filename="../../../daemon/preferences/autostart.py"/>
        <source>see who may read it</source>
        <translation>Sehen Sie nach, wer sie lesen darf</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>{table} is not a table</source>
        <translation>{table} ist keine Tabelle</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>write it as [table] and key = value</source>
        <translation>Schreiben Sie es als [table] und key = value</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>{key} ({low:g}) is greater than {at_most} ({high:g})</source>
        <translation>{key} ({low:g}) ist größer als {at_most} ({high:g})</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>lower {key} or raise {at_most}; what they mean: docs/settings.md</source>
        <translation>Senken Sie {key}, oder erhöhen Sie {at_most}; was sie bedeuten: docs/settings.md</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <location filename="../../../daemon/preferences/autostart.py"/>
        <source>see who may write it</source>
        <translation>Sehen Sie nach, wer sie schreiben darf</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>a text of UTF-8 without NUL</source>
        <translation>einen Text in UTF-8 ohne NUL</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>see who may read the settings file</source>
        <translation>Sehen Sie nach, wer die Einstellungsdatei lesen darf</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>one of {choices}</source>
        <translation>eines von {choices}</translation>
    </message>
    <message>
        <location filename="../../../storage/settings_file.py"/>
        <source>{key} cannot be written into it as it is laid out</source>
        <translation>{key} lässt sich nicht hineinschreiben, so wie sie aufgebaut ist</translation>
    </message>
    <message>
        <location filename="../../../storage/state/markers.py"/>
        <location filename="../../../daemon/purge/carry_out.py"/>
        <location filename="../../../daemon/purge/intent.py"/>
        <location filename="../../../participant/documents/private_files.py"/>
        <source>{path} cannot be removed: {why}</source>
        <translation>{path} lässt sich nicht entfernen: {why}</translation>
    </message>
    <message>
        <location filename="../../../storage/state/store.py"/>
        <source>write a new one with: kairos consent --journal --out FILE</source>
        <translation>Schreiben Sie eine neue mit: kairos consent --journal --out FILE</translation>
    </message>
    <message>
        <location filename="../../../storage/state/store.py"/>
        <source>{path} was given at an impossible time</source>
        <translation>{path} nennt eine unmögliche Zeit</translation>
    </message>
    <message>
        <location filename="../../../storage/state/store.py"/>
        <source>{path} is a consent to the text of another version of Kairos</source>
        <translation>{path} ist eine Einwilligung in den Text einer anderen Version von Kairos</translation>
    </message>
    <message>
        <location filename="../../../storage/state/store.py"/>
        <source>the recording</source>
        <translation>in die Aufzeichnung</translation>
    </message>
    <message>
        <location filename="../../../storage/state/store.py"/>
        <source>understanding controls</source>
        <translation>in das Verstehen der Bedienelemente</translation>
    </message>
    <message>
        <location filename="../../../storage/state/store.py"/>
        <source>{path} agrees to {what} without the journal</source>
        <translation>{path} willigt {what} ein, aber nicht in das Journal</translation>
    </message>
    <message>
        <location filename="../../../storage/state/store.py"/>
        <source>Kairos then asks for consent again</source>
        <translation>Kairos fragt dann noch einmal nach Ihrer Einwilligung</translation>
    </message>
    <message>
        <location filename="../../../storage/state/store.py"/>
        <source>that you took your consent back cannot be stored: {why}; {why_before}</source>
        <translation>Dass Sie Ihre Einwilligung zurückgenommen haben, lässt sich nicht speichern: {why}; {why_before}</translation>
    </message>
    <message>
        <location filename="../../../storage/state/store.py"/>
        <source>{path} is not a consent record</source>
        <translation>{path} ist keine Aufzeichnung einer Einwilligung</translation>
    </message>
    <message>
        <location filename="../../../storage/state/store.py"/>
        <location filename="../../../participant/delivery/outbox.py"/>
        <location filename="../../../participant/delivery/review.py"/>
        <location filename="../../../participant/membership/leaving.py"/>
        <location filename="../../../participant/membership/status.py"/>
        <source>leave the study: kairos study leave</source>
        <translation>Verlassen Sie die Studie: kairos study leave</translation>
    </message>
    <message>
        <location filename="../../../storage/state/store.py"/>
        <source>remove {path}</source>
        <translation>Entfernen Sie {path}</translation>
    </message>
    <message>
        <location filename="../../../storage/state/store.py"/>
        <source>{path}: the entry {name} is damaged</source>
        <translation>{path}: Der Eintrag {name} ist beschädigt</translation>
    </message>
    <message>
        <location filename="../../../storage/state/store.py"/>
        <source>before the next start remove {state_file}</source>
        <translation>Entfernen Sie vor dem nächsten Start {state_file}</translation>
    </message>
    <message>
        <location filename="../../../storage/state/store.py"/>
        <source>choose another file</source>
        <translation>Wählen Sie eine andere Datei</translation>
    </message>
    <message>
        <location filename="../../../storage/state/store.py"/>
        <source>{path}: the study in force is damaged: {why}</source>
        <translation>{path}: Die geltende Studie ist beschädigt: {why}</translation>
    </message>
    <message>
        <location filename="../../../storage/state/store.py"/>
        <location filename="../../../participant/delivery/outbox.py"/>
        <source>leave the study</source>
        <translation>Verlassen Sie die Studie</translation>
    </message>
    <message>
        <location filename="../../../storage/translation/language.py"/>
        <source>once</source>
        <translation>einmal</translation>
    </message>
    <message>
        <location filename="../../../storage/translation/language.py"/>
        <source>twice</source>
        <translation>zweimal</translation>
    </message>
    <message>
        <location filename="../../../storage/translation/language.py"/>
        <source>{count} times</source>
        <translation>{count}-mal</translation>
    </message>
    <message>
        <location filename="../../../ui/card/answer.py"/>
        <location filename="../../../ui/views/card.py"/>
        <source>You asked: {question}</source>
        <translation>Ihre Frage: {question}</translation>
    </message>
    <message>
        <location filename="../../../ui/card/asking.py"/>
        <source>Stop the answer</source>
        <translation>Die Antwort abbrechen</translation>
    </message>
    <message>
        <location filename="../../../ui/card/card.py"/>
        <source>● The microphone is open</source>
        <translation>● Das Mikrofon ist offen</translation>
    </message>
    <message>
        <location filename="../../../ui/card/card.py"/>
        <source>Ask again</source>
        <translation>Neu fragen</translation>
    </message>
    <message>
        <location filename="../../../ui/card/card.py"/>
        <source>Other answers</source>
        <translation>Andere Antworten</translation>
    </message>
    <message>
        <location filename="../../../ui/card/card.py"/>
        <location filename="../../../ui/views/notice.py"/>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <location filename="../../../ui/card/card.py"/>
        <source>✓ Done</source>
        <translation>✓ Erledigt</translation>
    </message>
    <message>
        <location filename="../../../ui/card/card.py"/>
        <source>It looks like: {goal} (a guess)</source>
        <translation>Es sieht aus nach: {goal} (eine Vermutung)</translation>
    </message>
    <message>
        <location filename="../../../ui/card/parts.py"/>
        <source>Next: {step}</source>
        <translation>Als Nächstes: {step}</translation>
    </message>
    <message>
        <location filename="../../../ui/card/parts.py"/>
        <source>Done: {step}</source>
        <translation>Erledigt: {step}</translation>
    </message>
    <message>
        <location filename="../../../ui/consent.py"/>
        <source>There is more below.</source>
        <translation>Weiter unten geht es weiter.</translation>
    </message>
    <message>
        <location filename="../../../ui/consent.py"/>
        <source>Not all of it could be deleted. See: kairos doctor</source>
        <translation>Nicht alles konnte gelöscht werden. Siehe: kairos doctor</translation>
    </message>
    <message>
        <location filename="../../../ui/consent.py"/>
        <source>Welcome to Kairos</source>
        <translation>Willkommen bei Kairos</translation>
    </message>
    <message>
        <location filename="../../../ui/consent.py"/>
        <source>&amp;Keep</source>
        <translation>Be&amp;halten</translation>
    </message>
    <message>
        <location filename="../../../ui/consent.py"/>
        <source>&amp;Delete…</source>
        <translation>&amp;Löschen…</translation>
    </message>
    <message>
        <location filename="../../../ui/consent.py"/>
        <source>&amp;Start watching</source>
        <translation>Beobachtung &amp;starten</translation>
    </message>
    <message>
        <location filename="../../../ui/consent.py"/>
        <location filename="../../../ui/study_consent.py"/>
        <source>&amp;Not now</source>
        <translation>&amp;Nicht jetzt</translation>
    </message>
    <message>
        <location filename="../../../ui/consent.py"/>
        <source>&amp;Delete for good</source>
        <translation>&amp;Endgültig löschen</translation>
    </message>
    <message>
        <location filename="../../../ui/consent.py"/>
        <source>What was stored is deleted.</source>
        <translation>Was gespeichert war, ist gelöscht.</translation>
    </message>
    <message>
        <location filename="../../../ui/dialogs/ask.py"/>
        <source>Ask Kairos</source>
        <translation>Kairos fragen</translation>
    </message>
    <message>
        <location filename="../../../ui/dialogs/ask.py"/>
        <source>What do you want to do?</source>
        <translation>Was möchten Sie tun?</translation>
    </message>
    <message>
        <location filename="../../../ui/dialogs/command.py"/>
        <location filename="../../../ui/dialogs/study.py"/>
        <location filename="../../../ui/dialogs/window.py"/>
        <location filename="../../../ui/views/forget.py"/>
        <source>&amp;Close</source>
        <translation>S&amp;chließen</translation>
    </message>
    <message>
        <location filename="../../../ui/dialogs/study.py"/>
        <source>What waits to be sent</source>
        <translation>Was auf das Senden wartet</translation>
    </message>
    <message>
        <location filename="../../../ui/dialogs/study.py"/>
        <source>&amp;Send</source>
        <translation>&amp;Senden</translation>
    </message>
    <message>
        <location filename="../../../ui/dialogs/study.py"/>
        <source>&amp;Stay</source>
        <translation>&amp;Dabeibleiben</translation>
    </message>
    <message>
        <location filename="../../../ui/dialogs/study.py"/>
        <source>&amp;Later</source>
        <translation>&amp;Später</translation>
    </message>
    <message>
        <location filename="../../../ui/dialogs/study.py"/>
        <source>&amp;Begin</source>
        <translation>&amp;Beginnen</translation>
    </message>
    <message>
        <location filename="../../../ui/dialogs/study.py"/>
        <source>&amp;Leave</source>
        <translation>&amp;Verlassen</translation>
    </message>
    <message>
        <location filename="../../../ui/dialogs/study.py"/>
        <source>&amp;Give up</source>
        <translation>Auf&amp;geben</translation>
    </message>
    <message>
        <location filename="../../../ui/dialogs/study.py"/>
        <source>&amp;Done</source>
        <translation>&amp;Fertig</translation>
    </message>
    <message>
        <location filename="../../../ui/dialogs/window.py"/>
        <source>Kairos cannot watch this desktop</source>
        <translation>Kairos kann diesen Desktop nicht beobachten</translation>
    </message>
    <message>
        <location filename="../../../ui/question.py"/>
        <source>Click the card to answer by keyboard: digits choose, Escape is not now.</source>
        <translation>Klicken Sie auf die Karte, um mit der Tastatur zu antworten: Ziffern wählen, Escape heißt „Nicht jetzt“.</translation>
    </message>
    <message>
        <location filename="../../../ui/question.py"/>
        <location filename="../../../ui/views/question.py"/>
        <source>{number} of {count}</source>
        <translation>{number} von {count}</translation>
    </message>
    <message>
        <location filename="../../../ui/study_consent.py"/>
        <source>{days} days, in this order:</source>
        <translation>{days} Tage, in dieser Reihenfolge:</translation>
    </message>
    <message>
        <location filename="../../../ui/study_consent.py"/>
        <source>Kairos study</source>
        <translation>Kairos-Studie</translation>
    </message>
    <message>
        <location filename="../../../ui/study_consent.py"/>
        <source>&amp;Take part</source>
        <translation>&amp;Teilnehmen</translation>
    </message>
    <message>
        <location filename="../../../ui/study_consent.py"/>
        <source>Consent text, version {version}</source>
        <translation>Einwilligungstext, Version {version}</translation>
    </message>
    <message>
        <location filename="../../../ui/study_consent.py"/>
        <source>Consent text</source>
        <translation>Einwilligungstext</translation>
    </message>
    <message>
        <location filename="../../../ui/study_consent.py"/>
        <location filename="../../../ui/views/tray.py"/>
        <source>Study</source>
        <translation>Studie</translation>
    </message>
    <message>
        <location filename="../../../ui/study_consent.py"/>
        <source>Who asks</source>
        <translation>Wer fragt</translation>
    </message>
    <message>
        <location filename="../../../ui/study_consent.py"/>
        <source>Its key</source>
        <translation>Ihr Schlüssel</translation>
    </message>
    <message>
        <location filename="../../../ui/study_consent.py"/>
        <location filename="../../../ui/views/timeline.py"/>
        <source>How long</source>
        <translation>Wie lange</translation>
    </message>
    <message>
        <location filename="../../../ui/study_consent.py"/>
        <source>Besides</source>
        <translation>Außerdem</translation>
    </message>
    <message>
        <location filename="../../../ui/study_consent.py"/>
        <source>Ethics: {ethics}</source>
        <translation>Ethik: {ethics}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/acts.py"/>
        <source>“{button}”</source>
        <translation>„{button}“</translation>
    </message>
    <message>
        <location filename="../../../ui/views/acts.py"/>
        <source>What works here</source>
        <translation>Was hier funktioniert</translation>
    </message>
    <message>
        <location filename="../../../ui/views/acts.py"/>
        <source>What is wrong with it</source>
        <translation>Was damit nicht stimmt</translation>
    </message>
    <message>
        <location filename="../../../ui/views/acts.py"/>
        <source>What was sent</source>
        <translation>Was gesendet wurde</translation>
    </message>
    <message>
        <location filename="../../../ui/views/acts.py"/>
        <source>How the study stands</source>
        <translation>Stand der Studie</translation>
    </message>
    <message>
        <location filename="../../../ui/views/acts.py"/>
        <source>Library of help</source>
        <translation>Hilfe-Bibliothek</translation>
    </message>
    <message>
        <location filename="../../../ui/views/acts.py"/>
        <location filename="../../../ui/views/settings.py"/>
        <location filename="../../../ui/views/tray.py"/>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/acts.py"/>
        <source>Model settings</source>
        <translation>Modell-Einstellungen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/acts.py"/>
        <source>What was learned</source>
        <translation>Was gelernt wurde</translation>
    </message>
    <message>
        <location filename="../../../ui/views/answer.py"/>
        <source>Stop</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/answer.py"/>
        <source>Stopped.</source>
        <translation>Abgebrochen.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/answer.py"/>
        <source>Ask about this</source>
        <translation>Dazu etwas fragen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/answer.py"/>
        <source>Enter asks, Escape gives the keyboard back.</source>
        <translation>Eingabe stellt die Frage, Escape gibt die Tastatur zurück.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/answer.py"/>
        <source>The model gave no answer. Ask again, or try the model: kairos models test.</source>
        <translation>Das Modell hat keine Antwort gegeben. Fragen Sie noch einmal, oder prüfen Sie das Modell: kairos models test.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/answer.py"/>
        <source>This answer cost ${dollars:.2f}.</source>
        <translation>Diese Antwort kostete {dollars:.2f} $.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/answer.py"/>
        <source>Asking {model}…</source>
        <translation>{model} wird gefragt…</translation>
    </message>
    <message>
        <location filename="../../../ui/views/answer.py"/>
        <location filename="../../../ui/views/settings.py"/>
        <source>Asking the model…</source>
        <translation>Das Modell wird gefragt…</translation>
    </message>
    <message>
        <location filename="../../../ui/views/answer.py"/>
        <source>{model} says:</source>
        <translation>{model} sagt:</translation>
    </message>
    <message>
        <location filename="../../../ui/views/answer.py"/>
        <source>The model says:</source>
        <translation>Das Modell sagt:</translation>
    </message>
    <message>
        <location filename="../../../ui/views/answer.py"/>
        <source>It looks like: {goal} (the model's guess)</source>
        <translation>Es sieht aus nach: {goal} (Vermutung des Modells)</translation>
    </message>
    <message>
        <location filename="../../../ui/views/answer.py"/>
        <source>From: {sources}.</source>
        <translation>Aus: {sources}.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/answer.py"/>
        <source>This answer cost less than a cent.</source>
        <translation>Diese Antwort kostete weniger als einen Cent.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/ask.py"/>
        <source>Nothing found for “{words}” in {app}.</source>
        <translation>Nichts gefunden zu „{words}“ in {app}.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/ask.py"/>
        <source>Nothing could be searched in {app}.</source>
        <translation>In {app} ließ sich nichts durchsuchen.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/ask.py"/>
        <source>greyed out now</source>
        <translation>gerade ausgegraut</translation>
    </message>
    <message>
        <location filename="../../../ui/views/ask.py"/>
        <source>on already</source>
        <translation>schon eingeschaltet</translation>
    </message>
    <message>
        <location filename="../../../ui/views/ask.py"/>
        <source>in no menu</source>
        <translation>in keinem Menü</translation>
    </message>
    <message>
        <location filename="../../../ui/views/ask.py"/>
        <source>Enter shows where it is, Ctrl+Enter only the page. Escape closes.</source>
        <translation>Eingabe zeigt, wo es ist, Strg+Eingabe nur die Seite. Escape schließt.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/ask.py"/>
        <source>No match for: {words}</source>
        <translation>Ohne Treffer: {words}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/ask.py"/>
        <source>this program</source>
        <translation>diesem Programm</translation>
    </message>
    <message>
        <location filename="../../../ui/views/ask.py"/>
        <source>The documentation of {app} here is in {language}.</source>
        <translation>Die Dokumentation zu {app} ist hier auf {language}.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/ask.py"/>
        <source>English</source>
        <translation>Englisch</translation>
    </message>
    <message>
        <location filename="../../../ui/views/ask.py"/>
        <source>German</source>
        <translation>Deutsch</translation>
    </message>
    <message>
        <location filename="../../../ui/views/ask.py"/>
        <source>Commands of the program are found too once you switch on “understand controls” in the settings.</source>
        <translation>Auch Befehle des Programms werden gefunden, wenn Sie in den Einstellungen „Bedienelemente verstehen“ einschalten.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/ask.py"/>
        <source>{app} does not tell its commands.</source>
        <translation>{app} nennt seine Befehle nicht.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/ask.py"/>
        <source>{app} was not in front since Kairos began to watch.</source>
        <translation>{app} war nicht im Vordergrund, seit Kairos zuschaut.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/ask.py"/>
        <source>The commands of {app} are being read.</source>
        <translation>Die Befehle von {app} werden gerade gelesen.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/ask.py"/>
        <source>No documentation is searched.</source>
        <translation>Dokumentation wird nicht durchsucht.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/ask.py"/>
        <source>No documentation of {app} is indexed.</source>
        <translation>Es ist keine Dokumentation zu {app} eingelesen.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/ask.py"/>
        <source>No window was in use yet.</source>
        <translation>Es war noch kein Fenster in Gebrauch.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/ask.py"/>
        <source>What do you want to do in {app}?</source>
        <translation>Was möchten Sie in {app} tun?</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>General advice</source>
        <translation>Allgemeiner Rat</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>Because you asked.</source>
        <translation>Weil Sie gefragt haben.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>Not in sight in this window.</source>
        <translation>In diesem Fenster nicht zu sehen.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>It is on already; another click turns it off.</source>
        <translation>Es ist schon eingeschaltet; ein weiterer Klick schaltet es aus.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>Nothing else was found</source>
        <translation>Sonst wurde nichts gefunden</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>No page of help fits what you are doing</source>
        <translation>Keine Hilfeseite passt zu dem, was Sie tun</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>Say it in a few words, as a button would. Where help comes from: kairos library list.</source>
        <translation>Sagen Sie es in wenigen Wörtern, wie eine Schaltfläche es täte. Woher Hilfe kommt: kairos library list.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>The model can look at the screen and say what it would try. Or say it in other words.</source>
        <translation>Das Modell kann sich den Bildschirm ansehen und sagen, was es versuchen würde. Oder sagen Sie es mit anderen Worten.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>What are you looking for?</source>
        <translation>Was suchen Sie?</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>Written by a language model. It may be wrong.</source>
        <translation>Von einem Sprachmodell geschrieben. Es kann sich irren.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>Show me</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>Say it</source>
        <translation>Sagen, was ich suche</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>Opens the field to ask in</source>
        <translation>Öffnet das Feld zum Fragen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <location filename="../../../ui/views/question.py"/>
        <source>Not now</source>
        <translation>Nicht jetzt</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>Not about this for a while</source>
        <translation>Eine Weile nicht zu diesem Thema</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>Did not help</source>
        <translation>Hat nicht geholfen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>Shows what else answers, if anything</source>
        <translation>Zeigt andere Antworten, wenn es welche gibt</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>It looks at the screen. Nothing leaves this machine.</source>
        <translation>Es sieht sich den Bildschirm an. Nichts verlässt diesen Rechner.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>Step {number}: {text}</source>
        <translation>Schritt {number}: {text}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>Sends a picture of the screen to it, off this machine.</source>
        <translation>Schickt ihm ein Bild des Bildschirms; es verlässt diesen Rechner.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>Ask {model}</source>
        <translation>{model} fragen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>All {steps} steps</source>
        <translation>Alle {steps} Schritte</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>Too early</source>
        <translation>Zu früh</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>I would have managed on my own</source>
        <translation>Ich wäre allein zurechtgekommen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>Too late</source>
        <translation>Zu spät</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>I needed this before</source>
        <translation>Ich hätte das vorher gebraucht</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>Wrong</source>
        <translation>Falsch</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>This is not what I am doing</source>
        <translation>Darum geht es mir gerade nicht</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <location filename="../../../storage/settings.py"/>
        <source>Snooze</source>
        <translation>Vorerst Ruhe</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>No offers at all for a while</source>
        <translation>Eine Weile gar keine Angebote</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>Don't offer this again</source>
        <translation>Nicht mehr anbieten</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>Never about this again, anywhere. To undo: What Kairos saw, Learned</source>
        <translation>Nie wieder dazu, nirgends. Rückgängig machen: Was Kairos gesehen hat, Gelernt</translation>
    </message>
    <message>
        <location filename="../../../ui/views/card.py"/>
        <source>Never about this again, anywhere: {topic}. To undo: What Kairos saw, Learned</source>
        <translation>Nie wieder dazu, nirgends: {topic}. Rückgängig machen: Was Kairos gesehen hat, Gelernt</translation>
    </message>
    <message>
        <location filename="../../../ui/views/day.py"/>
        <source>Most of the time: {length} in {app}.</source>
        <translation>Die meiste Zeit: {length} in {app}.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/day.py"/>
        <source>You may have been stuck in {app} at {time}, for {length}.</source>
        <translation>Vielleicht kamen Sie um {time} in {app} nicht weiter, {length} lang.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/day.py"/>
        <source>You may have been stuck {count:times} in {app}, longest at {time}, for {length}.</source>
        <translation>Vielleicht kamen Sie {count:times} in {app} nicht weiter, am längsten um {time}, {length} lang.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/day.py"/>
        <source>Programs</source>
        <translation>Programme</translation>
    </message>
    <message>
        <location filename="../../../ui/views/day.py"/>
        <source>Phases of work</source>
        <translation>Arbeitsphasen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/day.py"/>
        <source>Help was offered {count:times}, accepted {accepted:times}.</source>
        <translation>Hilfe wurde {count:times} angeboten, {accepted:times} angenommen.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/day.py"/>
        <source>You asked for help {count:times}.</source>
        <translation>Sie haben {count:times} um Hilfe gebeten.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/day.py"/>
        <location filename="../../../ui/views/settings.py"/>
        <source>none</source>
        <translation>keines</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>Help may be offered at any hour.</source>
        <translation>Hilfe kann zu jeder Stunde angeboten werden.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>From {begin}:00 to {end}:00 nothing is offered; you can still ask.</source>
        <translation>Von {begin}:00 bis {end}:00 wird nichts angeboten; fragen können Sie trotzdem.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>A video of the screen and full titles are kept, so that you can look at a moment again.</source>
        <translation>Ein Video des Bildschirms und ganze Titel werden aufbewahrt, damit Sie einen Moment noch einmal ansehen können.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>What happened is kept, and no pictures, no window titles, no text.</source>
        <translation>Aufbewahrt wird, was geschah: keine Bilder, keine Fenstertitel, kein Text.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>After {days:day|days} it is deleted, or sooner where all takes more than {gb:g} GB. You are told before.</source>
        <translation>Nach {days:Tag|Tagen} wird es gelöscht, oder früher, wenn alles zusammen mehr als {gb:g} GB braucht. Sie erfahren es vorher.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>Kairos knows which button, field and dialog you use: a ring shows where to click, and what is offered fits better.</source>
        <translation>Kairos weiß, welche Schaltfläche, welches Feld und welchen Dialog Sie benutzen: Ein Ring zeigt, wo Sie klicken müssen, und Angebote passen besser.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>Kairos sees only that the screen changes. No ring shows where to click, and browser windows stay covered where it cannot tell whether they are private.</source>
        <translation>Kairos sieht nur, dass sich der Bildschirm ändert. Kein Ring zeigt, wo Sie klicken müssen, und Browserfenster bleiben verdeckt, wenn nicht zu erkennen ist, ob sie privat sind.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>Password managers, lock screens and private windows are never kept.</source>
        <translation>Passwortverwaltungen, Sperrbildschirme und private Fenster werden nie aufbewahrt.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>{fenced} Nor is what you have excluded: {names}.</source>
        <translation>{fenced} Ebenso wenig, was Sie ausgeschlossen haben: {names}.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>{keys} opens the field to ask in, from any program.</source>
        <translation>{keys} öffnet das Fragefeld in jedem Programm.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>You ask from the tray. Keys of your own open the field from any program.</source>
        <translation>Sie fragen über das Symbol in der Leiste. Mit einem Tastenkürzel öffnet sich das Fragefeld in jedem Programm.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>The language of all windows, from the next start on.</source>
        <translation>Die Sprache aller Fenster; sie gilt ab dem nächsten Start.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>Colours change with the next window, the size of text with the next start.</source>
        <translation>Farben ändern sich mit dem nächsten Fenster, die Schriftgröße mit dem nächsten Start.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>The small model of Kairos works here. This one is asked besides: {name}.</source>
        <translation>Das kleine Modell von Kairos läuft auf diesem Rechner. Gefragt wird außerdem: {name}.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>The small model of Kairos works here, and nothing is sent. Another can be asked besides.</source>
        <translation>Das kleine Modell von Kairos läuft auf diesem Rechner, und nichts wird gesendet. Ein weiteres kann dazukommen.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>In calm work help is offered about once in ten hours.</source>
        <translation>Bei ruhiger Arbeit wird etwa einmal in zehn Stunden Hilfe angeboten.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>In calm work help is offered about once in two hours.</source>
        <translation>Bei ruhiger Arbeit wird etwa einmal in zwei Stunden Hilfe angeboten.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>In calm work help is offered about twice an hour.</source>
        <translation>Bei ruhiger Arbeit wird etwa zweimal in der Stunde Hilfe angeboten.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>too many offers, too few offers, quieter, annoying, disturb, less, more</source>
        <translation>zu viele Angebote, zu wenige Angebote, Hinweise, ruhiger, nervt, stört, seltener, öfter, weniger, mehr</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>night, evening, weekend, do not disturb, silence</source>
        <translation>Nacht, Abend, nicht stören, Stille</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>recording, video, pictures, screenshots, what is kept</source>
        <translation>Aufnahme, Aufzeichnung, Video, Bilder, was aufbewahrt wird</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>microphone, voice, speech, think aloud, sound, audio</source>
        <translation>Mikrofon, Stimme, Sprache, laut denken, Ton, Audio</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>how long, old sessions, delete, disk space</source>
        <translation>wie lange, alte Sitzungen, löschen, Speicherplatz</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>ring, buttons, menus, dialogs, accessibility, what is understood</source>
        <translation>Ring, Knöpfe, Menüs, Dialoge, Barrierefreiheit, was verstanden wird</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>password, bank, secret, private, incognito, never watch, blacklist, program</source>
        <translation>Passwort, Kennwort, Bank, geheim, privat, nie beobachten, Programm ausschließen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>password, bank, secret, private, website, window</source>
        <translation>Passwort, Kennwort, Bank, geheim, privat, Webseite, Fenster</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>hotkey, keyboard, keys, shortcut</source>
        <translation>Tastenkürzel, Tastatur, Tasten</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>English, German, translation</source>
        <translation>Englisch, Deutsch, Übersetzung</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>dark, light, night, theme, colours, appearance</source>
        <translation>dunkel, hell, Nacht, Design, Farben, Aussehen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>font size, larger, smaller, letters, zoom, scale</source>
        <translation>Schriftgröße, Schriftgrad, größer, kleiner, Buchstaben, Zoom</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>contrast, colours, hard to read, accessibility</source>
        <translation>Kontrast, Farben, schlecht lesbar, Barrierefreiheit</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>position, place, card, move</source>
        <translation>Position, Platz, Karte, verschieben</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>AI, language model, local, download</source>
        <translation>KI, Sprachmodell, lokal, herunterladen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>AI, language model, cloud, key, cost</source>
        <translation>KI, Sprachmodell, Cloud, Schlüssel, Kosten</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>How often may I speak?</source>
        <translation>Wie oft darf ich mich melden?</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>What is kept</source>
        <translation>Was aufbewahrt wird</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>What is understood</source>
        <translation>Was verstanden wird</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>What is excluded</source>
        <translation>Was ausgeschlossen ist</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>For how long</source>
        <translation>Wie lange</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <location filename="../../../storage/settings.py"/>
        <source>Quiet hours</source>
        <translation>Ruhezeiten</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>Which shortcut</source>
        <translation>Welches Tastenkürzel</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <location filename="../../../storage/settings.py"/>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <location filename="../../../storage/settings.py"/>
        <source>Look</source>
        <translation>Aussehen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/essentials.py"/>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <location filename="../../../ui/views/forget.py"/>
        <location filename="../../../ui/views/timeline.py"/>
        <source>&amp;Forget it</source>
        <translation>&amp;Vergessen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/forget.py"/>
        <source>&amp;Keep it</source>
        <translation>Be&amp;halten</translation>
    </message>
    <message>
        <location filename="../../../ui/views/forget.py"/>
        <source>Forgotten: {what}</source>
        <translation>Vergessen: {what}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/forget.py"/>
        <source>all since {when}</source>
        <translation>alles seit {when}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/forget.py"/>
        <source>This goes for good</source>
        <translation>Das wird endgültig gelöscht</translation>
    </message>
    <message>
        <location filename="../../../ui/views/forget.py"/>
        <source>nothing is there</source>
        <translation>nichts vorhanden</translation>
    </message>
    <message>
        <location filename="../../../ui/views/forget.py"/>
        <source>the end of {sessions:session|sessions}</source>
        <translation>das Ende von {sessions:Sitzung|Sitzungen}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/forget.py"/>
        <source>This could not be done</source>
        <translation>Das war nicht möglich</translation>
    </message>
    <message>
        <location filename="../../../ui/views/forget.py"/>
        <source>Forget {what}?</source>
        <translation>Vergessen: {what}?</translation>
    </message>
    <message>
        <location filename="../../../ui/views/forget.py"/>
        <source>everything</source>
        <translation>alles</translation>
    </message>
    <message>
        <location filename="../../../ui/views/forget.py"/>
        <source>This goes for good: everything from {when} until you say yes</source>
        <translation>Das wird endgültig gelöscht: alles ab {when}, bis Sie zustimmen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/forget.py"/>
        <source>what was in memory; nothing else was stored since then</source>
        <translation>was im Speicher war; seitdem wurde nichts anderes gespeichert</translation>
    </message>
    <message>
        <location filename="../../../ui/views/forget.py"/>
        <source>the end of {sessions:more session|more sessions}</source>
        <translation>das Ende von {sessions:weiteren Sitzung|weiteren Sitzungen}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/forget.py"/>
        <source>{sessions:session|sessions} of recorded work</source>
        <translation>{sessions:Sitzung|Sitzungen} mit aufgezeichneter Arbeit</translation>
    </message>
    <message>
        <location filename="../../../ui/views/forget.py"/>
        <source>copies of {requests:request|requests} to models</source>
        <translation>Kopien von {requests:Anfrage|Anfragen} an Modelle</translation>
    </message>
    <message>
        <location filename="../../../ui/views/forget.py"/>
        <source>what was learned from your answers then</source>
        <translation>was damals aus Ihren Antworten gelernt wurde</translation>
    </message>
    <message>
        <location filename="../../../ui/views/forget.py"/>
        <source>the same in {sessions:later session, which no longer replays as it was|later sessions, which no longer replay as they were}</source>
        <translation>dasselbe in {sessions:späteren Sitzung, die sich dann nicht mehr gleich wiedergeben lässt|späteren Sitzungen, die sich dann nicht mehr gleich wiedergeben lassen}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/forget.py"/>
        <source>Out of reach</source>
        <translation>Außer Reichweite</translation>
    </message>
    <message>
        <location filename="../../../ui/views/forget.py"/>
        <source>This stays</source>
        <translation>Das bleibt</translation>
    </message>
    <message>
        <location filename="../../../ui/views/forget.py"/>
        <source>Forget the last hour?</source>
        <translation>Die letzte Stunde vergessen?</translation>
    </message>
    <message>
        <location filename="../../../ui/views/forget.py"/>
        <source>Forget the last {minutes:minute|minutes}?</source>
        <translation>Die {minutes:|letzte|letzten} {minutes:Minute|Minuten} vergessen?</translation>
    </message>
    <message>
        <location filename="../../../ui/views/forget.py"/>
        <source>Deleted</source>
        <translation>Gelöscht</translation>
    </message>
    <message>
        <location filename="../../../ui/views/forget.py"/>
        <source>This could not be read, and stays</source>
        <translation>Das konnte nicht gelesen werden und bleibt</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>How was it?</source>
        <translation>Wie war es?</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>Reading the session…</source>
        <translation>Die Sitzung wird gelesen …</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>No pictures were recorded in this session; the lanes below show what was done.</source>
        <translation>In dieser Sitzung wurden keine Bilder aufgezeichnet; die Spuren unten zeigen, was getan wurde.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <location filename="../../../ui/views/timeline.py"/>
        <source>This picture is gone.</source>
        <translation>Dieses Bild ist nicht mehr da.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>Time line of the session</source>
        <translation>Zeitleiste der Sitzung</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>What did you want? (W)</source>
        <translation>Was wollten Sie? (W)</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>What would have helped? (H)</source>
        <translation>Was hätte geholfen? (H)</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>Delete it</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>Space plays and pauses. Left and right move one second, with Shift ten; comma and period one picture. B begins a stretch, E ends it here; up and down choose another. 1 to 9 say what you were doing; square brackets move its ends. Ctrl+Z undoes.</source>
        <translation>Leertaste spielt ab und hält an. Links und rechts gehen eine Sekunde, mit Umschalt zehn; Komma und Punkt ein Bild. B beginnt einen Abschnitt, E beendet ihn hier; auf und ab wählen einen anderen. 1 bis 9 sagen, was Sie taten; eckige Klammern verschieben seine Enden. Strg+Z macht rückgängig.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>No stretch yet: play on, and press E where what you were doing changes.</source>
        <translation>Noch kein Abschnitt: Spielen Sie weiter und drücken Sie E, wo sich ändert, was Sie taten.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>The next stretch begins here.</source>
        <translation>Der nächste Abschnitt beginnt hier.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>A stretch must be longer: go on, then press E.</source>
        <translation>Ein Abschnitt muss länger sein: Gehen Sie weiter und drücken Sie dann E.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>What Kairos estimated is shown once you have said both.</source>
        <translation>Was Kairos schätzte, sehen Sie, sobald Sie beides gesagt haben.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>Nobody else has said anything of this stretch, and nothing was estimated.</source>
        <translation>Niemand sonst hat etwas zu diesem Abschnitt gesagt, und es wurde nichts geschätzt.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>Why drop it?</source>
        <translation>Warum verwerfen?</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>Say yours first.</source>
        <translation>Sagen Sie zuerst Ihre Einschätzung.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>A quiz: say what was being done in each stretch. Nothing is shown before all are said.</source>
        <translation>Ein Quiz: Sagen Sie zu jedem Abschnitt, was getan wurde. Erst wenn zu allen etwas gesagt ist, wird etwas gezeigt.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>Kept on this machine.</source>
        <translation>Auf diesem Rechner gespeichert.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>What were you doing?</source>
        <translation>Was haben Sie getan?</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>Did you need help?</source>
        <translation>Haben Sie Hilfe gebraucht?</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>Play</source>
        <translation>Abspielen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>Pause</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>Begin here (B)</source>
        <translation>Hier beginnen (B)</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>End here (E)</source>
        <translation>Hier beenden (E)</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>Repeat (L)</source>
        <translation>Wiederholen (L)</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>Keep it (K)</source>
        <translation>Übernehmen (K)</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>Drop it (X)</source>
        <translation>Verwerfen (X)</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>You</source>
        <translation>Sie</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>Others</source>
        <translation>Andere</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>Done</source>
        <translation>Getan</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>Said</source>
        <translation>Gesagt</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>click</source>
        <translation>Klick</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>double click</source>
        <translation>Doppelklick</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>right click</source>
        <translation>Rechtsklick</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>drag</source>
        <translation>Ziehen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>scroll</source>
        <translation>Rollen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>type</source>
        <translation>Tippen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <location filename="../../../daemon/capture/capability_words.py"/>
        <source>keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>choose</source>
        <translation>Auswählen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>to another program</source>
        <translation>zu einem anderen Programm</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>nothing</source>
        <translation>nichts</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>{day}, {begin} to {end}</source>
        <translation>{day}, {begin} bis {end}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>Stretch {number} of {count}: {begin}, {length}</source>
        <translation>Abschnitt {number} von {count}: {begin}, {length}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>Y</source>
        <translation>J</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>N</source>
        <translation>N</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>Unsure</source>
        <translation>Unsicher</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>U</source>
        <translation>U</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>“{words}”</source>
        <translation>„{words}“</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>{step} “{name}”</source>
        <translation>{step} „{name}“</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>help needed</source>
        <translation>Hilfe nötig</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>no help needed</source>
        <translation>keine Hilfe nötig</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>unsure</source>
        <translation>unsicher</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>task “{title}”</source>
        <translation>Aufgabe „{title}“</translation>
    </message>
    <message>
        <location filename="../../../ui/views/labelling.py"/>
        <source>What shows it?</source>
        <translation>Woran zeigt es sich?</translation>
    </message>
    <message>
        <location filename="../../../ui/views/notice.py"/>
        <source>Open a small window</source>
        <translation>Kleines Fenster öffnen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/notice.py"/>
        <source>The quiet first day is over</source>
        <translation>Der stille erste Tag ist vorbei</translation>
    </message>
    <message>
        <location filename="../../../ui/views/notice.py"/>
        <source>Nothing is seen until then, so there is nothing to ask about.</source>
        <translation>Bis dahin wird nichts gesehen, also lässt sich auch nichts fragen.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/notice.py"/>
        <location filename="../../../ui/views/tray.py"/>
        <source>Something is wrong</source>
        <translation>Etwas stimmt nicht</translation>
    </message>
    <message>
        <location filename="../../../ui/views/notice.py"/>
        <location filename="../../../daemon/history/labelling.py"/>
        <location filename="../../../daemon/history/timeline/reader.py"/>
        <source>See: kairos doctor</source>
        <translation>Siehe: kairos doctor</translation>
    </message>
    <message>
        <location filename="../../../ui/views/notice.py"/>
        <source>Have a look</source>
        <translation>Ansehen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/notice.py"/>
        <source>From now on offers are shown. What Kairos saw has every moment with its reason.</source>
        <translation>Ab jetzt werden Angebote gezeigt. „Was Kairos gesehen hat“ nennt zu jedem Moment den Grund.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/notice.py"/>
        <source>Kairos judged {decisions} moments. Help would have been offered {count:times}:</source>
        <translation>Kairos hat {decisions} Momente beurteilt. Hilfe wäre {count:times} angeboten worden:</translation>
    </message>
    <message>
        <location filename="../../../ui/views/notice.py"/>
        <source>Kairos judged {count} moments, and would have offered help at none of them.</source>
        <translation>Kairos hat {count} Momente beurteilt und hätte in keinem davon Hilfe angeboten.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/notice.py"/>
        <source>and {count} more</source>
        <translation>und {count} weitere</translation>
    </message>
    <message>
        <location filename="../../../ui/views/question.py"/>
        <source>Question of your study</source>
        <translation>Frage Ihrer Studie</translation>
    </message>
    <message>
        <location filename="../../../ui/views/question.py"/>
        <source>Say more…</source>
        <translation>Mehr sagen …</translation>
    </message>
    <message>
        <location filename="../../../ui/views/question.py"/>
        <source>Look at the recording, and say what you were doing and what would have helped</source>
        <translation>Die Aufzeichnung ansehen und sagen, was Sie taten und was geholfen hätte</translation>
    </message>
    <message>
        <location filename="../../../ui/views/question.py"/>
        <source>How was your day?</source>
        <translation>Wie war Ihr Tag?</translation>
    </message>
    <message>
        <location filename="../../../ui/views/question.py"/>
        <source>None today</source>
        <translation>Heute keine</translation>
    </message>
    <message>
        <location filename="../../../ui/views/question.py"/>
        <source>Leave this one out</source>
        <translation>Diese auslassen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/question.py"/>
        <source>No more questions until tomorrow</source>
        <translation>Bis morgen keine Fragen mehr</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Pages of settings</source>
        <translation>Seiten der Einstellungen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>What most people change</source>
        <translation>Was die meisten ändern</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Found</source>
        <translation>Gefunden</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Reading…</source>
        <translation>Wird gelesen…</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>No setting has these words in its name or its help.</source>
        <translation>Keine Einstellung hat diese Wörter im Namen oder in der Hilfe.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>All settings are as they come.</source>
        <translation>Alle Einstellungen stehen auf ihrer Vorgabe.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>What you have changed</source>
        <translation>Was Sie geändert haben</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>changed</source>
        <translation>geändert</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Back to the default</source>
        <translation>Zurück zur Vorgabe</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Waits for the next start of Kairos.</source>
        <translation>Gilt ab dem nächsten Start von Kairos.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>New entry</source>
        <translation>Neuer Eintrag</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>All settings are kept in {file}. An edit of that file is shown here; its comments stay.</source>
        <translation>Alle Einstellungen stehen in {file}. Eine Änderung an dieser Datei erscheint hier; ihre Kommentare bleiben.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>The settings file cannot be used, so nothing can be changed here until it is put right.</source>
        <translation>Die Einstellungsdatei ist nicht benutzbar, deshalb lässt sich hier nichts ändern, bis sie in Ordnung ist.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>&amp;Start Kairos when I log in</source>
        <translation>Kairos &amp;starten, wenn ich mich anmelde</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>&amp;Point at a window to exclude…</source>
        <translation>Auf ein Fenster &amp;zeigen…</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Then click on any window: you see what would be excluded, and are asked. Escape cancels. What is excluded counts from the next look on; what was stored before stays, and can be forgotten in What Kairos saw.</source>
        <translation>Klicken Sie dann auf ein Fenster: Sie sehen, was ausgeschlossen würde, und werden gefragt. Escape bricht ab. Der Ausschluss gilt sofort, ab dem nächsten Bild; was vorher gespeichert wurde, bleibt und kann in „Was Kairos gesehen hat“ vergessen werden.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Click on the window. Escape cancels.</source>
        <translation>Klicken Sie auf das Fenster. Escape bricht ab.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>There is no window of a program there.</source>
        <translation>Dort ist kein Fenster eines Programms.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>That is a window of Kairos itself; it is never stored anyway.</source>
        <translation>Das ist ein Fenster von Kairos selbst; es wird ohnehin nie gespeichert.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>The pointer is in use by another program. Try again.</source>
        <translation>Ein anderes Programm hat gerade den Mauszeiger. Versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>That window has no class, so its program cannot be named here. Exclude a part of its title instead.</source>
        <translation>Dieses Fenster hat keine Klasse, deshalb lässt sich sein Programm hier nicht benennen. Schließen Sie stattdessen einen Teil seines Titels aus.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Pointing works on X11 desktops alone. Write the name of the program into the list instead.</source>
        <translation>Zeigen geht nur auf X11-Desktops. Schreiben Sie stattdessen den Namen des Programms in die Liste.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Exclude this program?</source>
        <translation>Dieses Programm ausschließen?</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>All windows of “{name}”, now and from now on: no pixels, no titles, no keys of them are stored, and nothing is offered while you use them.

Added to the excluded programs: {name}</source>
        <translation>Alle Fenster von „{name}“, jetzt und künftig: Von ihnen werden keine Bilder, keine Titel und keine Tasten gespeichert, und während Sie sie benutzen, wird nichts angeboten.

Kommt zu den ausgeschlossenen Programmen: {name}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>&amp;Yes, I agree</source>
        <translation>&amp;Ja, ich willige ein</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Understand controls?</source>
        <translation>Bedienelemente verstehen?</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Record the screen?</source>
        <translation>Den Bildschirm aufzeichnen?</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Record what you say?</source>
        <translation>Aufnehmen, was Sie sagen?</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Look through what programs write?</source>
        <translation>Ausgaben von Programmen durchsehen?</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Send pictures of the screen?</source>
        <translation>Bilder des Bildschirms senden?</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>From the next start on this is sent, whenever a model is asked:</source>
        <translation>Ab dem nächsten Start wird bei jeder Anfrage an ein Modell gesendet:</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>You can take it back here at any time.</source>
        <translation>Sie können es hier jederzeit zurücknehmen.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>A test asks the model once about a picture made for it, never about your screen, and costs as much.</source>
        <translation>Ein Test fragt das Modell einmal nach einem Bild, das dafür gemacht ist, nie nach Ihrem Bildschirm, und kostet ebenso viel.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Off: no model is chosen, and nothing is sent.</source>
        <translation>Aus: Kein Modell ist gewählt, und nichts wird gesendet.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>${price_in:g} in, ${price_out:g} out for a million tokens</source>
        <translation>{price_in:g} $ für Eingaben, {price_out:g} $ für Ausgaben, je Million Tokens</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>No model</source>
        <translation>Kein Modell</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>These keys cannot be taken from all programs: hold Ctrl, Alt or Super, and press a letter, digit or named key.</source>
        <translation>Diese Tasten taugen nicht als Kürzel für alle Programme: Halten Sie Strg, Alt oder Super, und drücken Sie dazu einen Buchstaben, eine Ziffer oder eine benannte Taste.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>{keys} belongs to another program or the desktop. Nothing was changed.</source>
        <translation>{keys} gehört schon einem anderen Programm oder dem Desktop. Nichts wurde geändert.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>{keys} is a shortcut of Kairos already ({key}). Nothing was changed.</source>
        <translation>{keys} ist schon ein Tastenkürzel von Kairos ({key}). Nichts wurde geändert.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Default: {default}</source>
        <translation>Vorgabe: {default}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>From {low} to {high}</source>
        <translation>Von {low} bis {high}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>At least {low}</source>
        <translation>Mindestens {low}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Not above {label}</source>
        <translation>Höchstens so viel wie {label}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Please enter a whole number.</source>
        <translation>Bitte geben Sie eine ganze Zahl ein.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Please enter it with its unit, such as 30 s, 5 min, 2 h or 1 day.</source>
        <translation>Bitte mit Einheit eingeben, etwa 30 s, 5 min, 2 h oder 1 Tag.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Please enter a number.</source>
        <translation>Bitte geben Sie eine Zahl ein.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>empty</source>
        <translation>leer</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Search the settings</source>
        <translation>Einstellungen durchsuchen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Advanced</source>
        <translation>Erweitert</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Off until you choose it. It is an entry of your own for the desktop: {file}</source>
        <translation>Aus, bis Sie es einschalten. Dafür wird ein Eintrag für den Desktop angelegt: {file}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Kairos starts when you log in, because of {file}</source>
        <translation>Kairos startet, wenn Sie sich anmelden, wegen {file}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>{file} starts Kairos when you log in. It was not written by Kairos, so it is left alone: change it by hand.</source>
        <translation>{file} startet Kairos, wenn Sie sich anmelden. Die Datei stammt nicht von Kairos und bleibt deshalb unberührt: Ändern Sie sie von Hand.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>{file} keeps Kairos from starting. It was not written by Kairos, so it is left alone: change it by hand.</source>
        <translation>{file} verhindert, dass Kairos startet. Die Datei stammt nicht von Kairos und bleibt deshalb unberührt: Ändern Sie sie von Hand.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>&amp;Exclude</source>
        <translation>Aus&amp;schließen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>&amp;Cancel</source>
        <translation>&amp;Abbrechen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>&amp;Test this model</source>
        <translation>Dieses Modell &amp;testen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>&amp;Stop</source>
        <translation>Abb&amp;rechen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Pictures stay on this machine</source>
        <translation>Bilder bleiben auf diesem Rechner</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Pictures of your screen go to {address}</source>
        <translation>Bilder Ihres Bildschirms gehen an {address}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>on this machine</source>
        <translation>auf diesem Rechner</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>on another machine</source>
        <translation>auf einem anderen Rechner</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>price not known</source>
        <translation>Preis nicht bekannt</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>free</source>
        <translation>kostenlos</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>The key {key} was found; it is shown and kept nowhere.</source>
        <translation>Der Schlüssel {key} wurde gefunden; er wird nirgends gezeigt und nirgends aufbewahrt.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>The key {key} was not found.</source>
        <translation>Der Schlüssel {key} wurde nicht gefunden.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Press keys…</source>
        <translation>Tasten drücken…</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Press the keys now. Escape cancels, Backspace takes the shortcut away.</source>
        <translation>Drücken Sie jetzt die Tasten. Escape bricht ab, die Rücktaste entfernt das Tastenkürzel.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>on</source>
        <translation>an</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>as agreed</source>
        <translation>wie zugestimmt</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>on request</source>
        <translation>auf Wunsch (on-request)</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>on acceptance</source>
        <translation>bei Annahme (on-acceptance)</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>ahead</source>
        <translation>im Voraus (ahead)</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>bottom right</source>
        <translation>unten rechts</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>bottom left</source>
        <translation>unten links</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>top right</source>
        <translation>oben rechts</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>top left</source>
        <translation>oben links</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>rarely</source>
        <translation>selten</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>now and then</source>
        <translation>ab und zu</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>often</source>
        <translation>oft</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>the desktop's</source>
        <translation>wie der Desktop</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>light</source>
        <translation>hell</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>dark</source>
        <translation>dunkel</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>The default is a guess</source>
        <translation>Die Vorgabe ist eine Schätzung</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>The default was measured</source>
        <translation>Die Vorgabe wurde gemessen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>The default was chosen on simulated sessions</source>
        <translation>Die Vorgabe wurde an simulierten Sitzungen gewählt</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Acts at once</source>
        <translation>Gilt sofort</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>What you add acts at once; what you remove, from the next start on</source>
        <translation>Was Sie hinzufügen, gilt sofort; was Sie entfernen, ab dem nächsten Start</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>What you turn off acts at once; what you turn on, from the next start on</source>
        <translation>Ausschalten gilt sofort; Einschalten ab dem nächsten Start</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Acts from the next start on</source>
        <translation>Gilt ab dem nächsten Start</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>It works: {model} answered in {seconds:.1f} seconds, for ${dollars:.4f}.</source>
        <translation>Es funktioniert: {model} hat nach {seconds:.1f} Sekunden geantwortet, für {dollars:.4f} $.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Stopped. Nothing was found out.</source>
        <translation>Abgebrochen, ohne Ergebnis.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>It does not work: {why}</source>
        <translation>Es funktioniert nicht: {why}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>the model</source>
        <translation>das Modell</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>It works: {model} answered in {seconds:.1f} seconds.</source>
        <translation>Es funktioniert: {model} hat nach {seconds:.1f} Sekunden geantwortet.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/settings.py"/>
        <source>Not asked: {why}</source>
        <translation>Wird nicht gefragt: {why}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/shortcuts.py"/>
        <source>Kairos is watching: ask with a key</source>
        <translation>Kairos läuft: Fragen Sie per Tastenkürzel</translation>
    </message>
    <message>
        <location filename="../../../ui/views/shortcuts.py"/>
        <source>{keys} is free, and can open a field to ask in from any program. Type “freeze the first row”, for example: a card shows the steps. The tray opens the field too, and the settings change the keys.</source>
        <translation>{keys} ist noch frei und kann in jedem Programm ein Fragefeld öffnen. Tippen Sie zum Beispiel „erste Zeile fixieren“: Eine Karte zeigt die Schritte. Auch das Symbol in der Leiste öffnet das Feld; ändern lassen sich die Tasten in den Einstellungen.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/shortcuts.py"/>
        <source>Kairos is watching: ask when you like</source>
        <translation>Kairos läuft: Fragen Sie, wann Sie möchten</translation>
    </message>
    <message>
        <location filename="../../../ui/views/shortcuts.py"/>
        <source>{keys} opens a field to ask in. Type “freeze the first row”, for example: a card shows the steps.</source>
        <translation>{keys} öffnet ein Fragefeld. Tippen Sie zum Beispiel „erste Zeile fixieren“: Eine Karte zeigt die Schritte.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/shortcuts.py"/>
        <source>Ask… in the tray opens a field. Type “freeze the first row”, for example: a card shows the steps.</source>
        <translation>„Fragen …“ im Menü des Symbols öffnet ein Feld. Tippen Sie zum Beispiel „erste Zeile fixieren“: Eine Karte zeigt die Schritte.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/shortcuts.py"/>
        <source>Use these keys</source>
        <translation>Diese Tasten verwenden</translation>
    </message>
    <message>
        <location filename="../../../ui/views/spotlight.py"/>
        <source>First close this window</source>
        <translation>Erst dieses Fenster schließen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/spotlight.py"/>
        <source>First close the window in front: this step cannot be reached from it.</source>
        <translation>Schließen Sie erst das Fenster im Vordergrund: Von dort ist dieser Schritt nicht zu erreichen.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/spotlight.py"/>
        <source>Greyed out now: something has to be chosen or filled in before, or it does not apply here.</source>
        <translation>Gerade ausgegraut: Vorher muss etwas ausgewählt oder ausgefüllt werden, oder es passt hier nicht.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/spotlight.py"/>
        <source>Yours first: do this in the program. The ring goes on from there.</source>
        <translation>Das machen Sie zuerst selbst im Programm. Danach geht der Ring weiter.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/spotlight.py"/>
        <source>Step {number}</source>
        <translation>Schritt {number}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>Take back my consent and quit</source>
        <translation>Einwilligung widerrufen und beenden</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>Take back my consent, leave the study and quit</source>
        <translation>Einwilligung widerrufen, Studie verlassen und beenden</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>Look before it goes…</source>
        <translation>Vor dem Senden ansehen…</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>Pause the study's sending</source>
        <translation>Senden der Studie anhalten</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>Resume the study's sending</source>
        <translation>Senden der Studie fortsetzen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>Leave the study…</source>
        <translation>Studie verlassen…</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>Leave the study?</source>
        <translation>Die Studie verlassen?</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>From then on nothing is collected, asked or sent for it. What has been sent is deleted, within the days that the study states, and you get a signed receipt. You need not say why, and you cannot join again.</source>
        <translation>Von da an wird für sie nichts mehr gesammelt, gefragt oder gesendet. Was gesendet wurde, wird innerhalb der Tage gelöscht, die die Studie nennt, und Sie bekommen eine unterschriebene Bestätigung. Sie müssen keinen Grund nennen, und Sie können nicht wieder eintreten.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>What was sent until now may be &amp;kept</source>
        <translation>Was bisher gesendet wurde, darf &amp;behalten werden</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>A task of the study</source>
        <translation>Eine Aufgabe der Studie</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>Task {number} of {count}</source>
        <translation>Aufgabe {number} von {count}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>It is done when: {end}</source>
        <translation>Sie ist erledigt, wenn: {end}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>How well do you know {program}? You may leave this out.</source>
        <translation>Wie gut kennen Sie {program}? Sie können das auslassen.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>Under way. You may close this window: the tray menu brings it back.</source>
        <translation>Sie läuft. Sie können dieses Fenster schließen: Das Menü im Infobereich öffnet es wieder.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>That was the last task. Thank you.</source>
        <translation>Das war die letzte Aufgabe. Vielen Dank.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>Before it goes</source>
        <translation>Vor dem Senden</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>No parcel waits.</source>
        <translation>Kein Paket wartet.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>To leave a row out, in a terminal: kairos study review --leave-out N.ROW</source>
        <translation>Eine Zeile auslassen, in einem Terminal: kairos study review --leave-out N.ZEILE</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>Fairly well</source>
        <translation>Einigermaßen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>Well</source>
        <translation>Gut</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>Very well</source>
        <translation>Sehr gut</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>These parcels wait until you press Send, or until your first week is over, unless you chose otherwise.</source>
        <translation>Diese Pakete warten, bis Sie auf „Senden“ drücken oder Ihre erste Woche vorbei ist, wenn Sie nichts anderes gewählt haben.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>These parcels wait. Each is sent an hour after the midnight that follows, or when you press Send.</source>
        <translation>Diese Pakete warten. Jedes wird eine Stunde nach der folgenden Mitternacht gesendet, oder wenn Sie auf „Senden“ drücken.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>The study's sending is paused. These parcels are sent only if you press Send.</source>
        <translation>Das Senden der Studie ist angehalten. Diese Pakete werden nur gesendet, wenn Sie auf „Senden“ drücken.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>The study's sending is paused</source>
        <translation>Das Senden der Studie ist angehalten</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>Parcels are made and stay here until you resume or let them go.</source>
        <translation>Pakete werden gemacht und bleiben hier, bis Sie fortsetzen oder sie freigeben.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>The study's sending goes on</source>
        <translation>Das Senden der Studie geht weiter</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>You are asked before each parcel: in the tray menu, Look before it goes.</source>
        <translation>Vor jedem Paket werden Sie gefragt: im Menü des Symbols „Vor dem Senden ansehen“.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>You have left the study</source>
        <translation>Sie haben die Studie verlassen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>Nothing more is collected or sent, except the message to the researchers that you left.</source>
        <translation>Es wird nichts mehr gesammelt oder gesendet, außer der Nachricht an die Forschenden, dass Sie ausgestiegen sind.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>Nothing more is collected or sent. Its folder is damaged, so nobody could be told: write to the researchers.</source>
        <translation>Es wird nichts mehr gesammelt oder gesendet. Der Ordner der Studie ist beschädigt, deshalb konnte es niemandem gesagt werden: Schreiben Sie den Forschenden.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>Study: day {day} of {days}</source>
        <translation>Studie: Tag {day} von {days}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>Task {number} of {count} of the study…</source>
        <translation>Aufgabe {number} von {count} der Studie …</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>Parcel {n}: {size:byte|bytes}, SHA-256 {digest}</source>
        <translation>Paket {n}: {size:Byte|Bytes}, SHA-256 {digest}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>Study: closed by its researchers, today is its end</source>
        <translation>Studie: von den Forschenden beendet, heute ist ihr Ende</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>Study: the quiet time before day 1</source>
        <translation>Studie: die stille Zeit vor Tag 1</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>Task of the study…</source>
        <translation>Aufgabe der Studie …</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>That did not work</source>
        <translation>Das hat nicht geklappt</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>{parcels:parcel is|parcels are} sent when the researchers' server can be reached.</source>
        <translation>{parcels:Paket wird|Pakete werden} gesendet, sobald der Server der Forschenden erreichbar ist.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>See: kairos study status</source>
        <translation>Siehe: kairos study status</translation>
    </message>
    <message>
        <location filename="../../../ui/views/study.py"/>
        <source>Let go</source>
        <translation>Freigegeben</translation>
    </message>
    <message>
        <location filename="../../../ui/views/text.py"/>
        <source>Right</source>
        <translation>Pfeil rechts</translation>
    </message>
    <message>
        <location filename="../../../ui/views/text.py"/>
        <source>{weekday} {day} {month} {year}</source>
        <translation>{weekday}, {day}. {month} {year}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/text.py"/>
        <source>{day} {month} {year}</source>
        <translation>{day}. {month} {year}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/text.py"/>
        <source>In English: “{text}”</source>
        <translation>Auf Englisch: „{text}“</translation>
    </message>
    <message>
        <location filename="../../../ui/views/text.py"/>
        <source>Ctrl</source>
        <translation>Strg</translation>
    </message>
    <message>
        <location filename="../../../ui/views/text.py"/>
        <source>Shift</source>
        <translation>Umschalt</translation>
    </message>
    <message>
        <location filename="../../../ui/views/text.py"/>
        <source>Space</source>
        <translation>Leertaste</translation>
    </message>
    <message>
        <location filename="../../../ui/views/text.py"/>
        <source>Enter</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <location filename="../../../ui/views/text.py"/>
        <source>Home</source>
        <translation>Pos1</translation>
    </message>
    <message>
        <location filename="../../../ui/views/text.py"/>
        <source>Insert</source>
        <translation>Einfg</translation>
    </message>
    <message>
        <location filename="../../../ui/views/text.py"/>
        <source>Delete</source>
        <translation>Entf</translation>
    </message>
    <message>
        <location filename="../../../ui/views/text.py"/>
        <source>End</source>
        <translation>Ende</translation>
    </message>
    <message>
        <location filename="../../../ui/views/text.py"/>
        <source>Backspace</source>
        <translation>Rücktaste</translation>
    </message>
    <message>
        <location filename="../../../ui/views/text.py"/>
        <source>PageUp</source>
        <translation>Bild auf</translation>
    </message>
    <message>
        <location filename="../../../ui/views/text.py"/>
        <source>PageDown</source>
        <translation>Bild ab</translation>
    </message>
    <message>
        <location filename="../../../ui/views/text.py"/>
        <source>Up</source>
        <translation>Pfeil auf</translation>
    </message>
    <message>
        <location filename="../../../ui/views/text.py"/>
        <source>Down</source>
        <translation>Pfeil ab</translation>
    </message>
    <message>
        <location filename="../../../ui/views/text.py"/>
        <source>Left</source>
        <translation>Pfeil links</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <location filename="../../../ui/views/tray.py"/>
        <source>What Kairos saw</source>
        <translation>Was Kairos gesehen hat</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>The day</source>
        <translation>Der Tag</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>&amp;Only offers, and what you said</source>
        <translation>Nur An&amp;gebote und Ihre Angaben</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>E&amp;very moment</source>
        <translation>&amp;Jeder Augenblick</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Nothing on this day has these words.</source>
        <translation>An diesem Tag kommt das nirgends vor.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>No program</source>
        <translation>Kein Programm</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Nothing was seen on this day.</source>
        <translation>An diesem Tag wurde nichts gesehen.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>No help was offered on this day, and you said nothing about it.</source>
        <translation>An diesem Tag wurde keine Hilfe angeboten, und Sie haben nichts dazu gesagt.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>◆ help offered   ● you were stuck   ○ you were fine   ╱╱ nothing watched</source>
        <translation>◆ Hilfe angeboten   ● nicht weitergekommen   ○ zurechtgekommen   ╱╱ nichts beobachtet</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Moments of the day</source>
        <translation>Momente des Tages</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Help need over the day</source>
        <translation>Hilfebedarf über den Tag</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Drag over a stretch to select it; the list below says the same in words.</source>
        <translation>Ziehen Sie mit der Maus über einen Abschnitt, um ihn auszuwählen; die Liste darunter sagt dasselbe in Worten.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Say &amp;more…</source>
        <translation>&amp;Mehr sagen …</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Select one or more rows, then say how it was: Kairos learns from it how need shows in your work.</source>
        <translation>Wählen Sie eine oder mehrere Zeilen und sagen Sie, wie es war: Kairos lernt daraus, wie sich Hilfebedarf bei Ihnen zeigt.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Noting it…</source>
        <translation>Wird gespeichert …</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Noted. Kairos has learned from it.</source>
        <translation>Gespeichert. Kairos hat daraus gelernt.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>&amp;Forget…</source>
        <translation>&amp;Vergessen…</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Forgetting… Nothing is captured until it is done.</source>
        <translation>Wird vergessen… Bis das fertig ist, wird nichts erfasst.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>No estimate</source>
        <translation>Keine Schätzung</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>What your answers, and what you said in the timeline, have taught Kairos:</source>
        <translation>Das hat Kairos aus Ihren Antworten und Ihren Angaben in der Zeitleiste gelernt:</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Nothing yet. Kairos learns from your answers to offers, and from what you say in the timeline.</source>
        <translation>Noch nichts. Kairos lernt aus Ihren Antworten auf Angebote und aus Ihren Angaben in der Zeitleiste.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>&amp;Forget what was learned…</source>
        <translation>Gelerntes &amp;vergessen…</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Forget what was learned?</source>
        <translation>Gelerntes vergessen?</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Kairos goes by its defaults again, as on the first day, and learns from your answers anew. What you muted may be offered again.</source>
        <translation>Kairos richtet sich wieder nach seinen Vorgaben, wie am ersten Tag, und lernt neu aus Ihren Antworten. Was Sie stummgeschaltet haben, darf wieder angeboten werden.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>&amp;Settings…</source>
        <translation>&amp;Einstellungen…</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Timeline</source>
        <translation>Zeitleiste</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Stored</source>
        <translation>Gespeichert</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Learned</source>
        <translation>Gelernt</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Earlier day</source>
        <translation>Früherer Tag</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Later day</source>
        <translation>Späterer Tag</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Search this day</source>
        <translation>Diesen Tag durchsuchen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Search programs and words</source>
        <translation>Programme und Wörter suchen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Zoom in</source>
        <translation>Vergrößern</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Zoom out</source>
        <translation>Verkleinern</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>&amp;Look at it</source>
        <translation>&amp;Ansehen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>I was &amp;stuck here</source>
        <translation>Hier kam ich nicht &amp;weiter</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>I was f&amp;ine here</source>
        <translation>Hier kam ich &amp;zurecht</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>You were stuck here</source>
        <translation>Hier kamen Sie nicht weiter</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>You were fine here</source>
        <translation>Hier kamen Sie zurecht</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>The last {minutes:minute|minutes}</source>
        <translation>Die {minutes:|letzte|letzten} {minutes:Minute|Minuten}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>The last hour</source>
        <translation>Die letzte Stunde</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>This day</source>
        <translation>Diesen Tag</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Everything</source>
        <translation>Alles</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Paused: nothing was watched</source>
        <translation>Pausiert: Nichts wurde beobachtet</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Private: nothing was watched</source>
        <translation>Privat: Nichts wurde beobachtet</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>An excluded window was open: nothing was watched</source>
        <translation>Ein ausgeschlossenes Fenster war offen: Nichts wurde beobachtet</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>no help offered</source>
        <translation>keine Hilfe angeboten</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>{sessions:session|sessions}</source>
        <translation>{sessions:Sitzung|Sitzungen}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>{size} of sessions and copies</source>
        <translation>{size} Sitzungen und Kopien</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>{size}: times, kinds of keys, programs, estimates and decisions</source>
        <translation>{size}: Zeiten, Arten von Tasten, Programme, Schätzungen und Entscheidungen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Sessions are deleted after {days:day|days}, or the oldest when all take more than {gb:g} GB, with a notice before.</source>
        <translation>Sitzungen werden nach {days:Tag|Tagen} gelöscht, oder die ältesten, wenn alle mehr als {gb:g} GB brauchen, mit einem Hinweis vorher.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>You do not want offers about “{topic}”.</source>
        <translation>Sie möchten keine Angebote zu „{topic}“.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Offer it again</source>
        <translation>Wieder anbieten</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Today, {day}</source>
        <translation>Heute, {day}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>help offered {count:times}, accepted {accepted:times}</source>
        <translation>{count:times} Hilfe angeboten, {accepted:times} angenommen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>{length} of work seen</source>
        <translation>{length} Arbeit gesehen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>need estimated {count:times}</source>
        <translation>{count:times} Hilfebedarf geschätzt</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>on its way</source>
        <translation>unterwegs</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>{sessions:session|sessions}, the oldest from {day}</source>
        <translation>{sessions:Sitzung|Sitzungen}, die älteste vom {day}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>{used}; {free} free</source>
        <translation>{used}; {free} frei</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>{begin} to {end}</source>
        <translation>{begin} bis {end}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>for {length}</source>
        <translation>{length} lang</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Help was offered: {title}</source>
        <translation>Hilfe wurde angeboten: {title}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Help need up to {need}, estimated {count:times}.</source>
        <translation>Hilfebedarf bis zu {need}, {count:times} geschätzt.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>{rows} rows.</source>
        <translation>{rows} Zeilen.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Help need up to {need}.</source>
        <translation>Hilfebedarf bis zu {need}.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>The {count} oldest rows are left out.</source>
        <translation>Die {count} ältesten Zeilen sind ausgelassen.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>{sessions:session|sessions} cannot be read: kairos sessions verify {name}</source>
        <translation>{sessions:Sitzung kann|Sitzungen können} nicht gelesen werden: kairos sessions verify {name}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>you asked for help {count:times}</source>
        <translation>Sie haben {count:times} um Hilfe gebeten</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>you said how it was {count:times}</source>
        <translation>Sie haben {count:times} gesagt, wie es war</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Nothing was sent to a model.</source>
        <translation>An ein Modell wurde nichts gesendet.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>{requests:request|requests} to models on all days, {size} as stored.</source>
        <translation>{requests:Anfrage|Anfragen} an Modelle an allen Tagen, gespeichert {size}.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Double-click one, or press Return on it, to read what was sent.</source>
        <translation>Ein Doppelklick auf eine Anfrage, oder die Eingabetaste, zeigt, was gesendet wurde.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>The study that you take part in sends parcels of its own: in the tray menu, Look before it goes.</source>
        <translation>Die Studie, an der Sie teilnehmen, sendet eigene Pakete: im Menü des Symbols „Vor dem Senden ansehen“.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>{pictures:picture|pictures}</source>
        <translation>{pictures:Bild|Bilder}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>no picture</source>
        <translation>kein Bild</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>US$ {dollars:.4f}</source>
        <translation>{dollars:.4f} US-$</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Sessions</source>
        <translation>Sitzungen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>What happened</source>
        <translation>Was geschah</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Pictures and sound</source>
        <translation>Bilder und Ton</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Sent to models</source>
        <translation>An Modelle gesendet</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>{size}: copies of what was sent</source>
        <translation>{size}: Kopien des Gesendeten</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>{size}, with your consent and the count of offers</source>
        <translation>{size}, mit Ihrer Einwilligung und dem Zähler der Angebote</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Index of help</source>
        <translation>Hilfe-Index</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>On the disk</source>
        <translation>Auf dem Datenträger</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Where</source>
        <translation>Wo</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>{app}: {task}</source>
        <translation>{app}: {task}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>{state} in {app}</source>
        <translation>{state} in {app}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Help need {need}.</source>
        <translation>Hilfebedarf {need}.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>{rows} rows in {apps} and others.</source>
        <translation>{rows} Zeilen in {apps} und anderen.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>{rows} rows in {apps}.</source>
        <translation>{rows} Zeilen in {apps}.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>Help was offered {count:times}.</source>
        <translation>Hilfe wurde {count:times} angeboten.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>The newest {count} are listed.</source>
        <translation>Die neuesten {count} sind aufgeführt.</translation>
    </message>
    <message>
        <location filename="../../../ui/views/timeline.py"/>
        <source>none are stored</source>
        <translation>keine gespeichert</translation>
    </message>
    <message>
        <location filename="../../../ui/views/tray.py"/>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/tray.py"/>
        <source>Starting</source>
        <translation>Wird gestartet</translation>
    </message>
    <message>
        <location filename="../../../ui/views/tray.py"/>
        <source>Watching</source>
        <translation>Beobachtet</translation>
    </message>
    <message>
        <location filename="../../../ui/views/tray.py"/>
        <source>Paused</source>
        <translation>Pausiert</translation>
    </message>
    <message>
        <location filename="../../../ui/views/tray.py"/>
        <source>Private until you resume</source>
        <translation>Privat, bis Sie fortsetzen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/tray.py"/>
        <source>An excluded window is open: it is not watched</source>
        <translation>Ein ausgeschlossenes Fenster ist offen: Es wird nicht beobachtet</translation>
    </message>
    <message>
        <location filename="../../../ui/views/tray.py"/>
        <source>Stopped</source>
        <translation>Beendet</translation>
    </message>
    <message>
        <location filename="../../../ui/views/tray.py"/>
        <source>Paused until you resume</source>
        <translation>Pausiert, bis Sie fortsetzen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/tray.py"/>
        <source>Watching and recording</source>
        <translation>Beobachtet und zeichnet auf</translation>
    </message>
    <message>
        <location filename="../../../ui/views/tray.py"/>
        <source>{state}; no offers until {time}</source>
        <translation>{state}; keine Angebote bis {time}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/tray.py"/>
        <source>{state}; the microphone is open</source>
        <translation>{state}; das Mikrofon ist offen</translation>
    </message>
    <message>
        <location filename="../../../ui/views/tray.py"/>
        <source>Paused until {time}</source>
        <translation>Pausiert bis {time}</translation>
    </message>
    <message>
        <location filename="../../../ui/views/tray.py"/>
        <source>{state}; a model cannot be asked now</source>
        <translation>{state}; ein Modell kann jetzt nicht gefragt werden</translation>
    </message>
    <message>
        <location filename="../../../ui/views/tray.py"/>
        <source>Ask…</source>
        <translation>Fragen …</translation>
    </message>
    <message>
        <location filename="../../../ui/views/tray.py"/>
        <source>Pause for 15 minutes</source>
        <translation>15 Minuten pausieren</translation>
    </message>
    <message>
        <location filename="../../../ui/views/tray.py"/>
        <source>Pause for 1 hour</source>
        <translation>1 Stunde pausieren</translation>
    </message>
    <message>
        <location filename="../../../ui/views/tray.py"/>
        <source>Pause until tomorrow, {time}</source>
        <translation>Bis morgen {time} pausieren</translation>
    </message>
    <message>
        <location filename="../../../ui/views/tray.py"/>
        <source>Pause until I resume</source>
        <translation>Pausieren, bis ich fortsetze</translation>
    </message>
    <message>
        <location filename="../../../ui/views/tray.py"/>
        <source>Private now</source>
        <translation>Jetzt privat</translation>
    </message>
    <message>
        <location filename="../../../ui/views/tray.py"/>
        <source>Forget the last {minutes:minute|minutes}…</source>
        <translation>Die {minutes:|letzte|letzten} {minutes:Minute|Minuten} vergessen…</translation>
    </message>
    <message>
        <location filename="../../../ui/views/tray.py"/>
        <source>Quit Kairos</source>
        <translation>Kairos beenden</translation>
    </message>
    <message>
        <location filename="../../../policies/chain.py"/>
        <source>The saved policy state has a shape this version does not know.</source>
        <translation>Der gespeicherte Stand der Regel hat eine Form, die diese Version nicht kennt.</translation>
    </message>
    <message>
        <location filename="../../../policies/chain.py"/>
        <source>Forget what was learned and muted with: kairos why --forget all</source>
        <translation>Vergessen Sie Gelerntes und Stummgeschaltetes mit: kairos why --forget all</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/__init__.py"/>
        <source>An offer was made: the evidence was strong enough, and you had just paused.</source>
        <translation>Angebot gemacht: Die Anzeichen waren stark genug, und Sie hatten gerade innegehalten.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/__init__.py"/>
        <source>An offer was made: the evidence stayed strong, and no better moment came.</source>
        <translation>Angebot gemacht: Die Anzeichen blieben stark, und es kam kein besserer Moment.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/__init__.py"/>
        <source>An offer was made: the study arm in force makes offers whatever the evidence.</source>
        <translation>Angebot gemacht: Der geltende Studienarm macht Angebote unabhängig von den Anzeichen.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/__init__.py"/>
        <source>The offer was taken back: the session ended.</source>
        <translation>Angebot zurückgezogen: Die Sitzung endete.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/__init__.py"/>
        <source>The offer went away without an answer.</source>
        <translation>Das Angebot verschwand ohne Antwort.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/__init__.py"/>
        <source>The offer was taken back: another one took its place.</source>
        <translation>Angebot zurückgezogen: Ein anderes trat an seine Stelle.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/arm.py"/>
        <source>No offer: the random choice of a study has already been made for this moment.</source>
        <translation>Kein Angebot: Die Zufallswahl einer Studie ist für diesen Moment schon getroffen.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/arm.py"/>
        <source>No offer: one could have been made here, but a study withheld it at random.</source>
        <translation>Kein Angebot: Hier wäre eines möglich gewesen, aber eine Studie hat es per Zufall zurückgehalten.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/arm.py"/>
        <source>No offer: one would have been made here, but for now offers are only logged.</source>
        <translation>Kein Angebot: Hier wäre eines gemacht worden, aber vorerst werden Angebote nur aufgeschrieben.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/availability.py"/>
        <source>No offer: you have not agreed to being watched.</source>
        <translation>Kein Angebot: Sie haben nicht eingewilligt, beobachtet zu werden.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/availability.py"/>
        <source>No offer: Kairos is paused.</source>
        <translation>Kein Angebot: Kairos pausiert.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/availability.py"/>
        <source>No offer: an application that you excluded is on the screen.</source>
        <translation>Kein Angebot: Ein Programm, das Sie ausgeschlossen haben, ist auf dem Bildschirm.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/availability.py"/>
        <source>No offer: the screen is locked.</source>
        <translation>Kein Angebot: Der Bildschirm ist gesperrt.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/availability.py"/>
        <source>No offer: a program fills the whole screen.</source>
        <translation>Kein Angebot: Ein Programm füllt den ganzen Bildschirm.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/availability.py"/>
        <source>No offer: you seem to be in a call.</source>
        <translation>Kein Angebot: Sie scheinen in einem Gespräch zu sein.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/availability.py"/>
        <source>No offer: do-not-disturb is on.</source>
        <translation>Kein Angebot: „Nicht stören“ ist an.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/availability.py"/>
        <source>No offer: a question of a study is on the screen.</source>
        <translation>Kein Angebot: Eine Frage einer Studie ist auf dem Bildschirm.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/availability.py"/>
        <source>No offer: the first minutes of a session stay quiet.</source>
        <translation>Kein Angebot: Die ersten Minuten einer Sitzung bleiben still.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/breaks.py"/>
        <source>Not yet: an offer waits for a natural break.</source>
        <translation>Noch nicht: Ein Angebot wartet auf eine Pause in Ihrer Arbeit.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/breaks.py"/>
        <source>The offer was dropped: no good moment came in time.</source>
        <translation>Angebot verworfen: Es kam rechtzeitig kein guter Moment.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/budget.py"/>
        <source>No offer: you asked for quiet for a while.</source>
        <translation>Kein Angebot: Sie haben für eine Weile um Ruhe gebeten.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/budget.py"/>
        <source>No offer: the last one was only a short time ago.</source>
        <translation>Kein Angebot: Das letzte ist noch nicht lange her.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/budget.py"/>
        <source>No offer: there were enough within the last hour.</source>
        <translation>Kein Angebot: In der letzten Stunde gab es genug.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/budget.py"/>
        <source>No offer: there were enough within the last 24 hours.</source>
        <translation>Kein Angebot: In den letzten 24 Stunden gab es genug.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/budget.py"/>
        <source>No offer: you muted this topic.</source>
        <translation>Kein Angebot: Sie haben dieses Thema stummgeschaltet.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/budget.py"/>
        <source>No offer: you dismissed one like it here, so this topic stays quiet for a while.</source>
        <translation>Kein Angebot: Sie haben hier ein ähnliches abgelehnt, deshalb bleibt es zu diesem Thema eine Weile still.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/budget.py"/>
        <source>An offer is on the screen.</source>
        <translation>Ein Angebot ist auf dem Bildschirm.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/content.py"/>
        <source>No offer: Kairos has nothing to say that fits.</source>
        <translation>Kein Angebot: Kairos hat nichts Passendes zu sagen.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/content.py"/>
        <source>Not yet: help that fits is being searched for.</source>
        <translation>Noch nicht: Passende Hilfe wird gesucht.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/content.py"/>
        <source>No offer: no page of help fits what you are doing.</source>
        <translation>Kein Angebot: Keine Hilfeseite passt zu dem, was Sie tun.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/evidence.py"/>
        <source>No offer: too little has been seen to judge by.</source>
        <translation>Kein Angebot: Bisher war zu wenig zu sehen, um zu urteilen.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/evidence.py"/>
        <source>No offer: the evidence belongs to another application.</source>
        <translation>Kein Angebot: Die Anzeichen gehören zu einem anderen Programm.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/evidence.py"/>
        <source>No offer: there is not enough evidence that help is needed.</source>
        <translation>Kein Angebot: Es spricht nicht genug dafür, dass Hilfe gebraucht wird.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/evidence.py"/>
        <source>No offer: the newest estimate of your need is below the threshold of this study arm.</source>
        <translation>Kein Angebot: Die neueste Schätzung Ihres Bedarfs liegt unter der Schwelle dieses Studienarms.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/novelty.py"/>
        <source>No offer: there is nothing to say that was not said a short time ago.</source>
        <translation>Kein Angebot: Es gibt nichts zu sagen, was nicht vor Kurzem gesagt wurde.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/utility.py"/>
        <source>No offer: help may be needed, but not surely enough to be worth an interruption.</source>
        <translation>Kein Angebot: Vielleicht wird Hilfe gebraucht, aber nicht sicher genug für eine Unterbrechung.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/withdrawal.py"/>
        <source>The offer was taken back: you went to another application.</source>
        <translation>Angebot zurückgezogen: Sie haben zu einem anderen Programm gewechselt.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/withdrawal.py"/>
        <source>The offer was taken back: it was too old.</source>
        <translation>Angebot zurückgezogen: Es war zu alt.</translation>
    </message>
    <message>
        <location filename="../../../policies/gates/withdrawal.py"/>
        <source>The offer was taken back: you had moved on.</source>
        <translation>Angebot zurückgezogen: Sie waren schon weiter.</translation>
    </message>
    <message>
        <location filename="../../../detectors/embedded.py"/>
        <source>The model {path} was trained on features that are defined otherwise now.</source>
        <translation>Das Modell {path} wurde mit Merkmalen trainiert, die jetzt anders festgelegt sind.</translation>
    </message>
    <message>
        <location filename="../../../detectors/embedded.py"/>
        <source>{path} is not a model of Kairos (other outputs).</source>
        <translation>{path} ist kein Modell von Kairos (andere Ausgaben).</translation>
    </message>
    <message>
        <location filename="../../../detectors/embedded.py"/>
        <source>The graph of {path} takes other inputs than the features it names.</source>
        <translation>Der Graph von {path} nimmt andere Eingaben als die Merkmale, die er nennt.</translation>
    </message>
    <message>
        <location filename="../../../detectors/embedded.py"/>
        <source>{path} is not a model of Kairos ({name}).</source>
        <translation>{path} ist kein Modell von Kairos ({name}).</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/client/address.py"/>
        <source>{host} would be reached without encryption</source>
        <translation>{host} würde ohne Verschlüsselung erreicht</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/client/address.py"/>
        <source>{host} is not on this machine, and pictures of the screen may not leave it</source>
        <translation>{host} ist nicht auf diesem Rechner, und Bilder des Bildschirms dürfen ihn nicht verlassen</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/client/address.py"/>
        <source>the model server's address holds characters that no address has</source>
        <translation>Die Adresse des Modellservers enthält Zeichen, die keine Adresse hat</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/client/address.py"/>
        <source>the model server's address holds a name or password</source>
        <translation>Die Adresse des Modellservers enthält einen Namen oder ein Passwort</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/client/address.py"/>
        <source>the model server's address is neither https nor http</source>
        <translation>Die Adresse des Modellservers ist weder https noch http</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/client/address.py"/>
        <source>the model server's address goes on after its path</source>
        <translation>Die Adresse des Modellservers geht nach ihrem Pfad weiter</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/client/address.py"/>
        <source>the model server's address cannot be read</source>
        <translation>Die Adresse des Modellservers lässt sich nicht lesen</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/client/address.py"/>
        <source>use its https address</source>
        <translation>Benutzen Sie die https-Adresse</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/client/address.py"/>
        <source>set send_screens = true in the model's settings if you want that</source>
        <translation>Wenn Sie das möchten, setzen Sie in den Einstellungen des Modells send_screens = true</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/client/address.py"/>
        <source>use key_name for a key</source>
        <translation>Für einen Schlüssel gibt es key_name</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/client/endpoint.py"/>
        <source>There is no preset {preset}.</source>
        <translation>Es gibt keine Voreinstellung {preset}.</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/client/endpoint.py"/>
        <source>{preset} has no address of its own</source>
        <translation>{preset} hat keine eigene Adresse</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/client/endpoint.py"/>
        <location filename="../../../daemon/models/tiers.py"/>
        <source>see: kairos models list</source>
        <translation>Siehe: kairos models list</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/client/endpoint.py"/>
        <source>set url in the model's settings</source>
        <translation>Setzen Sie url in den Einstellungen des Modells</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/client/keys.py"/>
        <source>{name} holds something that cannot be a key</source>
        <translation>{name} enthält etwas, das kein Schlüssel sein kann</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/client/keys.py"/>
        <source>set {name} again, to the key alone</source>
        <translation>Setzen Sie {name} neu, auf den Schlüssel allein</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/client/keys.py"/>
        <source>the keyring did not give {name}</source>
        <translation>Der Schlüsselbund hat {name} nicht herausgegeben</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/client/keys.py"/>
        <source>unlock the keyring, or set {name} in the environment</source>
        <translation>Entsperren Sie den Schlüsselbund, oder setzen Sie {name} in der Umgebung</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/client/transport.py"/>
        <source>the proxy that HTTPS_PROXY, HTTP_PROXY or ALL_PROXY names cannot be used</source>
        <translation>Der Proxy, den HTTPS_PROXY, HTTP_PROXY oder ALL_PROXY nennt, lässt sich nicht benutzen</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/client/transport.py"/>
        <source>the certificates that SSL_CERT_FILE or SSL_CERT_DIR names cannot be read</source>
        <translation>Die Zertifikate, die SSL_CERT_FILE oder SSL_CERT_DIR nennt, lassen sich nicht lesen</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/client/transport.py"/>
        <source>give it an address that begins with http:// (SOCKS is not supported), or unset the variable</source>
        <translation>Geben Sie eine Adresse an, die mit http:// beginnt (SOCKS geht nicht), oder löschen Sie die Variable</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/client/transport.py"/>
        <source>name a file of certificates, or unset the variable</source>
        <translation>Nennen Sie eine Datei mit Zertifikaten, oder löschen Sie die Variable</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/dialects/__init__.py"/>
        <source>There is no dialect {name}.</source>
        <translation>Es gibt keinen Dialekt {name}.</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/dialects/__init__.py"/>
        <source>Known are {dialects}.</source>
        <translation>Bekannt sind {dialects}.</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/presets.py"/>
        <source>{preset} has no model of its own</source>
        <translation>{preset} hat kein eigenes Modell</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/presets.py"/>
        <source>{model} runs in Ollama's cloud, and pictures of the screen may not leave this machine</source>
        <translation>{model} läuft in der Cloud von Ollama, und Bilder des Bildschirms dürfen diesen Rechner nicht verlassen</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/presets.py"/>
        <source>set model in the model's settings</source>
        <translation>Setzen Sie model in den Einstellungen des Modells</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/presets.py"/>
        <source>choose a model that runs here, or set send_screens = true in the model's settings</source>
        <translation>Wählen Sie ein Modell, das hier läuft, oder setzen Sie in den Einstellungen des Modells send_screens = true</translation>
    </message>
    <message>
        <location filename="../../../detectors/model_file.py"/>
        <source>Set detector.name to embedded, or to a file that kairos train wrote with this version.</source>
        <translation>Setzen Sie detector.name auf embedded oder auf eine Datei, die kairos train mit dieser Version geschrieben hat.</translation>
    </message>
    <message>
        <location filename="../../../detectors/model_file.py"/>
        <source>holds what kairos train does not write</source>
        <translation>enthält, was kairos train nicht schreibt</translation>
    </message>
    <message>
        <location filename="../../../detectors/model_file.py"/>
        <source>The model {path} {refused}.</source>
        <translation>Das Modell {path} {refused}.</translation>
    </message>
    <message>
        <location filename="../../../detectors/model_file.py"/>
        <source>is not an ONNX file</source>
        <translation>ist keine ONNX-Datei</translation>
    </message>
    <message>
        <location filename="../../../detectors/model_file.py"/>
        <source>The model {path} cannot be read: {why}.</source>
        <translation>Das Modell {path} lässt sich nicht lesen: {why}.</translation>
    </message>
    <message>
        <location filename="../../../detectors/model_file.py"/>
        <source>The model file cannot be read.</source>
        <translation>Die Modelldatei lässt sich nicht lesen.</translation>
    </message>
    <message>
        <location filename="../../../detectors/model_file.py"/>
        <source>is larger than {limit} MB</source>
        <translation>ist größer als {limit} MB</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/backend.py"/>
        <source>This is said to be a Wayland session, and its compositor does not answer. So Kairos cannot notice that you are stuck, offer help, point at a control or take a keyboard shortcut. Nothing was watched, and nothing is asked of you. What needs no running Kairos works here too: kairos --help.</source>
        <translation>Dies soll eine Wayland-Sitzung sein, und ihr Compositor antwortet nicht. Deshalb kann Kairos nicht merken, dass Sie nicht weiterkommen, keine Hilfe anbieten, auf kein Bedienelement zeigen und kein Tastenkürzel annehmen. Es wurde nichts beobachtet, und es wird nichts von Ihnen erbeten. Was kein laufendes Kairos braucht, geht auch hier: kairos --help.</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/capability_words.py"/>
        <source>What Kairos can see on this desktop: all of that but</source>
        <translation>Was Kairos auf dieser Arbeitsfläche sehen kann: all das bis auf</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/capability_words.py"/>
        <source>pictures</source>
        <translation>Bilder</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/capability_words.py"/>
        <source>menus and tips</source>
        <translation>Menüs und Hinweise</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/capability_words.py"/>
        <source>windows</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/capability_words.py"/>
        <source>clicks</source>
        <translation>Klicks</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/capability_words.py"/>
        <source>scrolling</source>
        <translation>Bildlauf</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/capability_words.py"/>
        <source>pointer</source>
        <translation>Zeiger</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/capability_words.py"/>
        <source>presence</source>
        <translation>Anwesenheit</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/capability_words.py"/>
        <source>controls</source>
        <translation>Bedienelemente</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/capability_words.py"/>
        <source>card and ring</source>
        <translation>Karte und Ring</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/capability_words.py"/>
        <source>tray</source>
        <translation>Symbolleiste</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/capability_words.py"/>
        <source>shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/capability_words.py"/>
        <source>offers</source>
        <translation>Angebote</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>on Wayland a desktop passes it on to no other program</source>
        <translation>unter Wayland gibt ein Desktop das an kein anderes Programm weiter</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>choose an X11 session where you log in, if there is one</source>
        <translation>wählen Sie bei der Anmeldung eine X11-Sitzung, falls es eine gibt</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>switch on the service that Kairos' Debian package brings: systemctl enable --now kairos-input</source>
        <translation>den Dienst einschalten, den das Debian-Paket von Kairos mitbringt: systemctl enable --now kairos-input</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>to be asked again: kairos desktop install</source>
        <translation>damit noch einmal gefragt wird: kairos desktop install</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>only when, and not where: the desktop does not tell where the pointer is</source>
        <translation>nur wann, nicht wo: Der Desktop sagt nicht, wo der Mauszeiger steht</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>of the buttons alone: a tap on a touchpad, and scrolling with two fingers, are not told</source>
        <translation>nur von den Tasten: Ein Tippen auf das Touchpad und das Rollen mit zwei Fingern werden nicht gemeldet</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>only that something was typed or erased, in programs that tell, and if you choose controls</source>
        <translation>nur, dass etwas getippt oder gelöscht wurde, in Programmen, die es sagen, und wenn Sie Bedienelemente wählen</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>asked for four times a second while somebody is active</source>
        <translation>wird viermal in der Sekunde erfragt, solange jemand tätig ist</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>told as it moves, up to 50 ms late</source>
        <translation>bei jeder Bewegung, bis zu 50 ms später</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>GNOME's portal does not offer pictures, or PipeWire's library is not there</source>
        <translation>das Portal von GNOME bietet keine Bilder an, oder die Bibliothek von PipeWire fehlt</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>install xdg-desktop-portal-gnome and libpipewire-0.3-0, and log in again</source>
        <translation>installieren Sie xdg-desktop-portal-gnome und libpipewire-0.3-0, und melden Sie sich neu an</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>you did not allow pictures when GNOME asked, or ended them</source>
        <translation>Sie haben Bilder nicht erlaubt, als GNOME fragte, oder sie beendet</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>GNOME no longer knows that you allowed pictures</source>
        <translation>GNOME weiß nicht mehr, dass Sie Bilder erlaubt haben</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>less surely than on X11: less of clicks and pointer is told</source>
        <translation>weniger sicher als unter X11: Von Klicks und Zeiger wird weniger mitgeteilt</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>a window on this desktop would take the keyboard away from your work</source>
        <translation>ein Fenster auf dieser Arbeitsfläche würde Ihrer Arbeit die Tastatur wegnehmen</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>an offer comes as a notification, and its window when you click there; there is no ring</source>
        <translation>ein Angebot kommt als Benachrichtigung, und sein Fenster, wenn Sie dort klicken; einen Ring gibt es nicht</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>install XWayland (package xwayland) and log in again</source>
        <translation>installieren Sie XWayland (Paket xwayland) und melden Sie sich neu an</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>the desktop asks you once, and may give other keys than you set</source>
        <translation>die Arbeitsumgebung fragt Sie einmal, und gibt vielleicht andere Tasten als eingestellt</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>not listed, nor are panels and notifications; so the whole screen is covered while an excluded, private or unknown window is visible on it, and a notification may be in a picture</source>
        <translation>nicht aufgeführt, ebenso wenig wie Leisten und Benachrichtigungen; deshalb ist der ganze Bildschirm verdeckt, solange ein ausgeschlossenes, privates oder unbekanntes Fenster auf ihm zu sehen ist, und eine Benachrichtigung kann auf einem Bild sein</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>turn notifications off while you record, or exclude what sends them</source>
        <translation>schalten Sie Benachrichtigungen ab, während Sie aufzeichnen, oder schließen Sie aus, was sie sendet</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>only their effect on a control, if you choose controls</source>
        <translation>nur ihre Wirkung auf ein Bedienelement, wenn Sie Bedienelemente wählen</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>only as what moves in the pictures</source>
        <translation>nur als das, was sich in den Bildern bewegt</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>only where a program says the same error again and again, if you choose controls</source>
        <translation>nur wo ein Programm immer wieder denselben Fehler meldet, wenn Sie Bedienelemente wählen</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>only where a bar shows one; else there is a small window</source>
        <translation>nur, wo eine Leiste sie zeigt; sonst gibt es ein kleines Fenster</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>programs cannot have keys here</source>
        <translation>Programme können hier keine Tasten haben</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>put a line into the compositor's configuration, for sway: bindsym $mod+question exec kairos ask</source>
        <translation>setzen Sie eine Zeile in die Konfiguration des Compositors, für sway: bindsym $mod+question exec kairos ask</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>no pictures on this desktop yet, because nothing lists its windows for sure</source>
        <translation>auf dieser Arbeitsfläche noch keine Bilder, weil nichts ihre Fenster sicher aufführt</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>under sway, and in X11 sessions, Kairos sees the screen</source>
        <translation>unter sway und in X11-Sitzungen sieht Kairos den Bildschirm</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>not told, and nothing of them is seen</source>
        <translation>nicht mitgeteilt, und nichts von ihnen wird gesehen</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>only what programs say of their own, without places, and if you choose controls</source>
        <translation>nur, was Programme von ihren eigenen sagen, ohne Orte, und wenn Sie Bedienelemente wählen</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>agree to understanding controls</source>
        <translation>stimmen Sie dem Verstehen von Bedienelementen zu</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>without places: a control is named, and no ring can be drawn around it</source>
        <translation>ohne Orte: ein Bedienelement wird genannt, und kein Ring kann darum gezogen werden</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>no pictures without Kairos' extension, which says where windows are</source>
        <translation>keine Bilder ohne die Erweiterung von Kairos, die sagt, wo Fenster sind</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>put Kairos' extension into GNOME Shell and log in again: kairos desktop install</source>
        <translation>Die Erweiterung von Kairos in der GNOME Shell einrichten und neu anmelden: kairos desktop install</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>give keys to kairos ask in GNOME's settings: Keyboard, View and Customize Shortcuts, Custom</source>
        <translation>In GNOMEs Einstellungen kairos ask Tasten geben: Tastatur, Tastenkombinationen ansehen und anpassen, Eigene</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>of the screens that you allow in GNOME's own window, which asks once; none while windows move</source>
        <translation>von den Bildschirmen, die Sie im Fenster von GNOME erlauben, das einmal fragt; keine, während sich Fenster bewegen</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>answer GNOME when it asks; a sign in its panel says that the screen is seen</source>
        <translation>antworten Sie, wenn GNOME fragt; ein Zeichen in der Leiste zeigt an, dass der Bildschirm gesehen wird</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>no pictures on KDE yet: its windows are known, and not what they show</source>
        <translation>noch keine Bilder unter KDE: Bekannt ist, welche Fenster es gibt, nicht, was sie zeigen</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>give keys to kairos ask in the system settings: Shortcuts, Add Command</source>
        <translation>In den Systemeinstellungen kairos ask Tasten geben: Kurzbefehle, Befehl hinzufügen</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>sway does not answer on the socket of its windows, so no window is known for sure</source>
        <translation>sway antwortet nicht am Anschluss für seine Fenster, deshalb ist kein Fenster sicher bekannt</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>start Kairos from this session of sway, which sets SWAYSOCK</source>
        <translation>starten Sie Kairos aus dieser Sitzung von sway, die SWAYSOCK setzt</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>where the pointer was up to 50 ms before</source>
        <translation>wo der Zeiger bis zu 50 ms davor war</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>use a mouse</source>
        <translation>eine Maus benutzen</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>there is no message bus of the session, by which programs say what their controls are</source>
        <translation>es gibt keinen Nachrichtenbus der Sitzung, über den Programme sagen, was ihre Bedienelemente sind</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>log in by a display manager, or start the session with dbus-run-session</source>
        <translation>melden Sie sich über einen Display-Manager an, oder starten Sie die Sitzung mit dbus-run-session</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>only what programs say of their own, without places: KWin does not run Kairos' script</source>
        <translation>nur, was Programme von ihren eigenen sagen, ohne Orte: KWin führt das Skript von Kairos nicht aus</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>start Kairos on the message bus of this session; it asks KWin anew at each start</source>
        <translation>starten Sie Kairos auf dem Nachrichtenbus dieser Sitzung; es fragt KWin bei jedem Start neu</translation>
    </message>
    <message>
        <location filename="../../../daemon/capture/wayland/capabilities.py"/>
        <source>the compositor does not tell of it</source>
        <translation>der Compositor teilt sie nicht mit</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/tiers.py"/>
        <source>set the environment variable {key}, or with the package keyring: keyring set {service} {key}</source>
        <translation>Setzen Sie die Umgebungsvariable {key}, oder mit dem Paket keyring: keyring set {service} {key}</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/tiers.py"/>
        <source>to allow it: kairos config set {tier}_model.send_screens true</source>
        <translation>Zum Erlauben: kairos config set {tier}_model.send_screens true</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/tiers.py"/>
        <source>start the server as yourself, or allow it: kairos config set {tier}_model.send_screens true</source>
        <translation>Starten Sie den Server unter Ihrem Namen, oder erlauben Sie es: kairos config set {tier}_model.send_screens true</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/tiers.py"/>
        <source>the key {key} was not found</source>
        <translation>Der Schlüssel {key} wurde nicht gefunden</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/tiers.py"/>
        <source>no model is named</source>
        <translation>Es ist kein Modell genannt</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/tiers.py"/>
        <source>kairos config set {tier}_model.model NAME</source>
        <translation>kairos config set {tier}_model.model NAME</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/tiers.py"/>
        <source>it has no address</source>
        <translation>Es hat keine Adresse</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/tiers.py"/>
        <source>kairos config set {tier}_model.url http://...</source>
        <translation>kairos config set {tier}_model.url http://...</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/tiers.py"/>
        <source>pictures of your screen may not go there</source>
        <translation>Bilder Ihres Bildschirms dürfen nicht dorthin</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/tiers.py"/>
        <source>another user of this machine runs the server there</source>
        <translation>Der Server dort gehört jemand anderem auf diesem Rechner</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>{where} sends requests on to another address, and Kairos does not follow</source>
        <translation>{where} leitet Anfragen an eine andere Adresse weiter, und Kairos folgt dem nicht</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>give the address that it leads to: often https in place of http, or another path</source>
        <translation>Geben Sie die Adresse an, zu der sie führt: oft https statt http oder ein anderer Pfad</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>{what} (status {status})</source>
        <translation>{what} (Status {status})</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>{where} takes no pictures</source>
        <translation>{where} nimmt keine Bilder</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>choose a model with vision, or start the server with its vision part; {model} was asked</source>
        <translation>Wählen Sie ein Modell, das Bilder versteht, oder starten Sie den Server mit seinem Bildteil; gefragt wurde {model}</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>{where} answers with a web page, so that is no model server, or a proxy in front of one</source>
        <translation>{where} antwortet mit einer Webseite; das ist also kein Modellserver, oder ein Proxy steht davor</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>check address and path; a login, a firewall or a filter in between may have to let Kairos pass</source>
        <translation>Prüfen Sie Adresse und Pfad; vielleicht muss eine Anmeldung, eine Firewall oder ein Filter dazwischen Kairos durchlassen</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>{where} forbids this request, and not because of the key</source>
        <translation>{where} verbietet diese Anfrage, und nicht wegen des Schlüssels</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>see its own words in your account there: it can be a country, a filter of contents, or {model}</source>
        <translation>Den Grund nennt dort Ihr Konto: Es kann das Land sein, ein Filter für Inhalte oder {model}</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>{where} compresses its answers, which Kairos asks it not to do</source>
        <translation>{where} komprimiert seine Antworten, obwohl Kairos das nicht will</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>turn compression off for this address, in the server or in the proxy in front of it</source>
        <translation>Schalten Sie die Komprimierung für diese Adresse ab, im Server oder im Proxy davor</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>{where} did not answer in time</source>
        <translation>{where} hat nicht rechtzeitig geantwortet</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>try again if it is loading a model, or use a smaller one</source>
        <translation>Versuchen Sie es noch einmal, falls es gerade ein Modell lädt, oder nehmen Sie ein kleineres</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>{where} does not answer</source>
        <translation>{where} antwortet nicht</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>start the server, or give its address with --url</source>
        <translation>Starten Sie den Server, oder geben Sie seine Adresse mit --url an</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>{where} is busy</source>
        <translation>{where} ist ausgelastet</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>try again later</source>
        <translation>Versuchen Sie es später noch einmal</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>{where} refused the request</source>
        <translation>{where} hat die Anfrage abgelehnt</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>see the server's own log; a wrong model or preset is likely</source>
        <translation>Sehen Sie in das Protokoll des Servers; wahrscheinlich ist es das falsche Modell oder die falsche Voreinstellung</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>{where} did not take the key</source>
        <translation>{where} hat den Schlüssel nicht angenommen</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>check the key {key}, and that it may use this model</source>
        <translation>Prüfen Sie den Schlüssel {key}, und ob er für dieses Modell gilt</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>{where} was not asked</source>
        <translation>{where} wurde nicht gefragt</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>see: kairos doctor</source>
        <translation>Siehe: kairos doctor</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>{where} was not asked: today's limit is reached</source>
        <translation>{where} wurde nicht gefragt: Die Grenze für heute ist erreicht</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>raise calls_per_day or another limit of the day, or wait</source>
        <translation>Erhöhen Sie calls_per_day oder eine andere Grenze für den Tag, oder warten Sie</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>{where} was not asked: the machine runs on battery</source>
        <translation>{where} wurde nicht gefragt: Der Rechner läuft mit Akku</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>set on_battery = true</source>
        <translation>Setzen Sie on_battery = true</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>{where} has a context too short for one picture</source>
        <translation>{where} hat einen Kontext, der für ein Bild zu kurz ist</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>start it with a longer context</source>
        <translation>Starten Sie es mit einem längeren Kontext</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>{where} gave an answer that cannot be used</source>
        <translation>{where} hat eine unbrauchbare Antwort gegeben</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>run: kairos models probe; if it persists, the model may be too small, or the server of another kind</source>
        <translation>Führen Sie aus: kairos models probe; wenn es dabei bleibt, ist das Modell vielleicht zu klein oder der Server von anderer Art</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>{where} was asked something newer</source>
        <translation>{where} wurde inzwischen etwas Neueres gefragt</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <location filename="../../../daemon/purge/carry_out.py"/>
        <source>try again</source>
        <translation>Versuchen Sie es noch einmal</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>--url and --model belong to a preset or a tier</source>
        <translation>--url und --model gehören zu einer Voreinstellung oder Stufe</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>no model is on</source>
        <translation>Kein Modell ist eingeschaltet</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>the {name} model is off</source>
        <translation>Das Modell {name} ist ausgeschaltet</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>{preset} has no default address</source>
        <translation>{preset} hat keine voreingestellte Adresse</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>{preset} has no default model</source>
        <translation>{preset} hat kein voreingestelltes Modell</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>{preset} needs a key, and {name} was not found</source>
        <translation>{preset} braucht einen Schlüssel, und {name} wurde nicht gefunden</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>{where} knows no model {model}, or its address is different</source>
        <translation>{where} kennt kein Modell {model}, oder die Adresse ist eine andere</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>give --model or --url, or set them; a local server may have to load the model first</source>
        <translation>Geben Sie --model oder --url an, oder stellen Sie sie ein; ein Server auf diesem Rechner muss das Modell vielleicht erst laden</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>name one; see: kairos models list</source>
        <translation>Nennen Sie eine; siehe: kairos models list</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>name a preset to try; see: kairos models list</source>
        <translation>Nennen Sie eine Voreinstellung, die zu versuchen ist; siehe: kairos models list</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>kairos config set {name}_model.preset NAME</source>
        <translation>kairos config set {name}_model.preset NAME</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>add --url http://...</source>
        <translation>Geben Sie --url http://... an</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>add --model NAME</source>
        <translation>Geben Sie --model NAME an</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>is this machine online, and does it need a proxy (HTTPS_PROXY)?</source>
        <translation>Ist dieser Rechner online, und braucht er einen Proxy (HTTPS_PROXY)?</translation>
    </message>
    <message>
        <location filename="../../../daemon/cli/models/trial.py"/>
        <source>it wants a key: say with key_name which variable or entry of the keyring holds it</source>
        <translation>Er verlangt einen Schlüssel: Geben Sie mit key_name an, welche Variable oder welcher Eintrag des Schlüsselbunds ihn enthält</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/decisions.py"/>
        <source>Help was shown because you asked for it.</source>
        <translation>Hilfe wurde gezeigt, weil Sie darum gebeten haben.</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/decisions.py"/>
        <source>An offer was made. Why is shown when the study is over.</source>
        <translation>Angebot gemacht. Warum, wird gezeigt, wenn die Studie vorbei ist.</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/labelling.py"/>
        <location filename="../../../daemon/history/timeline/reader.py"/>
        <source>Something went wrong here</source>
        <translation>Hier ist etwas schiefgegangen</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/labelling.py"/>
        <source>nothing was recorded in {name}</source>
        <translation>in {name} wurde nichts aufgezeichnet</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/learned.py"/>
        <source>Help about "{topic}" in {app}: your answers count {accepted:g} for it and {refused:g} against it (older ones less). It is offered there once need reaches {threshold}.</source>
        <translation>Hilfe zu „{topic}“ in {app}: Ihre Antworten zählen {accepted:g} dafür und {refused:g} dagegen (ältere weniger). Dort wird sie angeboten, sobald der Bedarf {threshold} erreicht.</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/learned.py"/>
        <source>Answers so far: {early:g} "too early", {late:g} "too late" (older ones count less).</source>
        <translation>Bisherige Antworten: {early:g}-mal „Zu früh“, {late:g}-mal „Zu spät“ (ältere zählen weniger).</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/learned.py"/>
        <source>In {app}, help is offered once signs of trouble add up to {level:.1f}; in programs that are new to you, to {elsewhere:.1f}. Kairos knows {hours:.1f} hours of your work there.</source>
        <translation>In {app} wird Hilfe angeboten, sobald die Anzeichen zusammen {level:.1f} erreichen, in Programmen, die Ihnen neu sind, {elsewhere:.1f}. Kairos kennt dort {hours:.1f} Stunden Ihrer Arbeit.</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/learned.py"/>
        <source>You asked for quiet for another {length}.</source>
        <translation>Sie haben noch für {length} um Ruhe gebeten.</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/learned.py"/>
        <source>Quiet for another {length}: "{topic}" in {app}, dismissed {count:times} in a row.</source>
        <translation>Noch {length} Ruhe: „{topic}“ in {app}, {count:times} hintereinander abgelehnt.</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/learned.py"/>
        <source>{where}, help need counts {compared} estimated: {example} counts as {counts} ({answers}).</source>
        <translation>{where} zählt Hilfebedarf {compared} geschätzt: {example} gelten als {counts} ({answers}).</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/learned.py"/>
        <source>In {app}, {answers:answer that helped comes|answers that helped come} first next time.</source>
        <translation>In {app}: {answers:Antwort, die geholfen hat, steht|Antworten, die geholfen haben, stehen} beim nächsten Mal vorn.</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/learned.py"/>
        <source>Everywhere</source>
        <translation>Überall</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/learned.py"/>
        <source>In {app}</source>
        <translation>In {app}</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/learned.py"/>
        <source>In other programs</source>
        <translation>In anderen Programmen</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/learned.py"/>
        <source>{answers:answer|answers}</source>
        <translation>{answers:Antwort|Antworten}</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/learned.py"/>
        <source>{answers:answer|answers} in all</source>
        <translation>insgesamt {answers:Antwort|Antworten}</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/learned.py"/>
        <source>about as</source>
        <translation>etwa wie</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/learned.py"/>
        <source>a little more than</source>
        <translation>etwas mehr als</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/learned.py"/>
        <source>more than</source>
        <translation>mehr als</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/learned.py"/>
        <source>much more than</source>
        <translation>viel mehr als</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/learned.py"/>
        <source>a little less than</source>
        <translation>etwas weniger als</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/learned.py"/>
        <source>less than</source>
        <translation>weniger als</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/learned.py"/>
        <source>much less than</source>
        <translation>viel weniger als</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/timeline/facts.py"/>
        <source>What was sent to models cannot be read. See: kairos models sent</source>
        <translation>Was an Modelle gesendet wurde, kann nicht gelesen werden. Siehe: kairos models sent</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/timeline/facts.py"/>
        <source>What was learned cannot be read. To forget it: kairos why --forget all</source>
        <translation>Was gelernt wurde, kann nicht gelesen werden. Vergessen: kairos why --forget all</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/timeline/moments.py"/>
        <source>The card that you asked for is on the screen.</source>
        <translation>Die Karte, um die Sie gebeten haben, ist auf dem Bildschirm.</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/timeline/moments.py"/>
        <source>An answer with {steps:step|steps} was shown.</source>
        <translation>Eine Antwort mit {steps:Schritt|Schritten} wurde gezeigt.</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/timeline/moments.py"/>
        <source>Nothing was found.</source>
        <translation>Es wurde nichts gefunden.</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/timeline/moments.py"/>
        <source>A model answered.</source>
        <translation>Ein Modell hat geantwortet.</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/timeline/moments.py"/>
        <source>Nothing could be searched: no window was in use.</source>
        <translation>Es gab nichts zu durchsuchen: Kein Fenster war in Gebrauch.</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/timeline/moments.py"/>
        <source>Nothing could be searched: neither commands nor documentation were at hand.</source>
        <translation>Es gab nichts zu durchsuchen: Weder Befehle noch Dokumentation waren zur Hand.</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/timeline/moments.py"/>
        <source>Nothing could be searched: the program told no commands, and no page here is about it.</source>
        <translation>Es gab nichts zu durchsuchen: Das Programm nannte keine Befehle, und keine Seite hier handelt von ihm.</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/timeline/moments.py"/>
        <source>The search failed.</source>
        <translation>Die Suche ist fehlgeschlagen.</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/timeline/reader.py"/>
        <source>Something is being forgotten just now</source>
        <translation>Gerade wird etwas vergessen</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/timeline/reader.py"/>
        <location filename="../../../daemon/history/timeline/service.py"/>
        <source>Try again in a moment.</source>
        <translation>Versuchen Sie es gleich noch einmal.</translation>
    </message>
    <message>
        <location filename="../../../daemon/history/timeline/service.py"/>
        <source>Kairos is between two sessions, so this could not be noted</source>
        <translation>Kairos ist zwischen zwei Sitzungen, deshalb konnte das nicht notiert werden</translation>
    </message>
    <message>
        <location filename="../../../daemon/models/disclosure.py"/>
        <source>For an answer on the card also names and messages on the screen, and what you typed.</source>
        <translation>Für eine Antwort auf der Karte auch Namen und Meldungen auf dem Bildschirm und was Sie getippt haben.</translation>
    </message>
    <message>
        <location filename="../../../daemon/models/disclosure.py"/>
        <source>{one}, and {other}</source>
        <translation>{one}, und {other}</translation>
    </message>
    <message>
        <location filename="../../../daemon/models/disclosure.py"/>
        <source>asked not to store anything</source>
        <translation>gebeten, nichts zu speichern</translation>
    </message>
    <message>
        <location filename="../../../daemon/models/disclosure.py"/>
        <source>without billing Google may use what is sent to improve its products</source>
        <translation>ohne Abrechnung darf Google, was gesendet wird, zur Verbesserung seiner Produkte nutzen</translation>
    </message>
    <message>
        <location filename="../../../daemon/models/disclosure.py"/>
        <source>who reads what is sent depends on it, and so does everything else: run the probe</source>
        <translation>wer Gesendetes liest, hängt davon ab, und alles andere auch: Führen Sie die Probe aus</translation>
    </message>
    <message>
        <location filename="../../../daemon/models/tiers.py"/>
        <source>there is no preset {name}</source>
        <translation>Es gibt keine Voreinstellung {name}</translation>
    </message>
    <message>
        <location filename="../../../daemon/preferences/autostart.py"/>
        <source>{file} was not written by Kairos, so it is left alone</source>
        <translation>{file} wurde nicht von Kairos geschrieben und bleibt daher, wie sie ist</translation>
    </message>
    <message>
        <location filename="../../../daemon/preferences/autostart.py"/>
        <source>change it by hand, or remove it and try again</source>
        <translation>Ändern Sie sie von Hand, oder entfernen Sie sie, und versuchen Sie es noch einmal</translation>
    </message>
    <message>
        <location filename="../../../daemon/preferences/change.py"/>
        <source>With these settings nothing is sent. See: kairos doctor</source>
        <translation>Mit diesen Einstellungen wird nichts gesendet. Siehe: kairos doctor</translation>
    </message>
    <message>
        <location filename="../../../daemon/preferences/change.py"/>
        <source>Sent from the next start on: {words}</source>
        <translation>Wird ab dem nächsten Start gesendet: {words}</translation>
    </message>
    <message>
        <location filename="../../../daemon/preferences/change.py"/>
        <source>{key} wants the name of a key, and this looks like a key itself; nothing was written</source>
        <translation>{key} erwartet den Namen eines Schlüssels, und dies sieht selbst wie ein Schlüssel aus; nichts wurde geschrieben</translation>
    </message>
    <message>
        <location filename="../../../daemon/preferences/change.py"/>
        <source>put the key into an environment variable or the keyring, and give its name here</source>
        <translation>Legen Sie den Schlüssel in eine Umgebungsvariable oder den Schlüsselbund, und geben Sie hier seinen Namen an</translation>
    </message>
    <message>
        <location filename="../../../daemon/preferences/trial.py"/>
        <source>the command ended without an answer</source>
        <translation>Der Befehl endete ohne Antwort</translation>
    </message>
    <message>
        <location filename="../../../daemon/preferences/trial.py"/>
        <source>the model did not answer in time</source>
        <translation>Das Modell hat nicht rechtzeitig geantwortet</translation>
    </message>
    <message>
        <location filename="../../../daemon/preferences/trial.py"/>
        <source>try it: kairos models list</source>
        <translation>Versuchen Sie: kairos models list</translation>
    </message>
    <message>
        <location filename="../../../daemon/preferences/trial.py"/>
        <source>a command cannot be run: {why}</source>
        <translation>Ein Befehl lässt sich nicht ausführen: {why}</translation>
    </message>
    <message>
        <location filename="../../../daemon/preferences/trial.py"/>
        <source>try again once it is loaded</source>
        <translation>Versuchen Sie es noch einmal, wenn es geladen ist</translation>
    </message>
    <message>
        <location filename="../../../daemon/purge/carry_out.py"/>
        <source>What waits to be sent in your study could not be looked at; what is gone here is taken out before anything goes</source>
        <translation>Was in Ihrer Studie auf das Senden wartet, ließ sich nicht durchsehen; was hier gelöscht ist, wird herausgenommen, bevor etwas gesendet wird</translation>
    </message>
    <message>
        <location filename="../../../daemon/purge/carry_out.py"/>
        <source>{folder}/{name} could not be read and was deleted whole</source>
        <translation>{folder}/{name} ließ sich nicht lesen und wurde ganz gelöscht</translation>
    </message>
    <message>
        <location filename="../../../daemon/purge/carry_out.py"/>
        <source>{name} could not be read and was deleted whole</source>
        <translation>{name} war nicht lesbar und wurde ganz gelöscht</translation>
    </message>
    <message>
        <location filename="../../../daemon/purge/carry_out.py"/>
        <source>{path} was written by an earlier Kairos; it stays, and may hold something of that time. To delete it: kairos forget --all</source>
        <translation>{path} stammt von einem früheren Kairos; es bleibt und kann etwas aus dieser Zeit enthalten. Löschen: kairos forget --all</translation>
    </message>
    <message>
        <location filename="../../../daemon/purge/carry_out.py"/>
        <source>try again in a moment</source>
        <translation>Versuchen Sie es gleich noch einmal</translation>
    </message>
    <message>
        <location filename="../../../daemon/purge/intent.py"/>
        <source>{path} is damaged: what was to be deleted is not known</source>
        <translation>{path} ist beschädigt: Was zu löschen war, ist nicht bekannt</translation>
    </message>
    <message>
        <location filename="../../../daemon/purge/intent.py"/>
        <source>remove it, then delete again: kairos forget</source>
        <translation>Entfernen Sie sie, und löschen Sie dann noch einmal: kairos forget</translation>
    </message>
    <message>
        <location filename="../../../daemon/purge/plan.py"/>
        <source>{folder} cannot be read, and stays: {why}</source>
        <translation>{folder} lässt sich nicht lesen und bleibt: {why}</translation>
    </message>
    <message>
        <location filename="../../../daemon/purge/plan.py"/>
        <source>{why}; it stays, and may hold something of that time. To delete it: kairos sessions delete {name}</source>
        <translation>{why}; es bleibt und enthält vielleicht etwas aus dieser Zeit. Zum Löschen: kairos sessions delete {name}</translation>
    </message>
    <message>
        <location filename="../../../daemon/purge/plan.py"/>
        <source>end what holds it, then delete again</source>
        <translation>Beenden Sie, was sie festhält, und löschen Sie dann noch einmal</translation>
    </message>
    <message>
        <location filename="../../../daemon/purge/purge.py"/>
        <source>{path}: delete it there, or run the export again</source>
        <translation>{path}: dort löschen oder den Export wiederholen</translation>
    </message>
    <message>
        <location filename="../../../daemon/purge/purge.py"/>
        <source>sessions in {folder}: to forget them too, add --sessions {folder}</source>
        <translation>Sitzungen in {folder}: Um auch sie zu vergessen, ergänzen Sie --sessions {folder}</translation>
    </message>
    <message>
        <location filename="../../../daemon/purge/purge.py"/>
        <source>exports, reports and copies of sessions that were made elsewhere, and sessions in a folder that was set before</source>
        <translation>Exporte, Berichte und Kopien von Sitzungen, die anderswo gemacht wurden, und Sitzungen in einem Ordner, der früher eingestellt war</translation>
    </message>
    <message>
        <location filename="../../../daemon/purge/purge.py"/>
        <source>backups and snapshots of the disk, and blocks that the disk has freed and not overwritten yet</source>
        <translation>Sicherungen und Schnappschüsse des Datenträgers, und Blöcke, die er freigegeben und noch nicht überschrieben hat</translation>
    </message>
    <message>
        <location filename="../../../daemon/purge/purge.py"/>
        <source>what was sent to models: who runs them has it</source>
        <translation>was Modellen gesendet wurde: Wer sie betreibt, hat es</translation>
    </message>
    <message>
        <location filename="../../../daemon/purge/purge.py"/>
        <source>what the study that you take part in was sent or has waiting: look with kairos study review, or have all of it deleted with kairos study leave</source>
        <translation>was die Studie, an der Sie teilnehmen, bekommen hat oder was auf das Senden wartet: ansehen mit kairos study review, oder alles löschen lassen mit kairos study leave</translation>
    </message>
    <message>
        <location filename="../../../daemon/purge/purge.py"/>
        <source>your consent and settings, a pause, what models cost by day, and a study that you joined</source>
        <translation>Ihre Einwilligung und Einstellungen, eine Pause, was Modelle pro Tag kosten, und eine Studie, an der Sie teilnehmen</translation>
    </message>
    <message>
        <location filename="../../../daemon/purge/rows.py"/>
        <source>{path} cannot be written anew: {why}</source>
        <translation>{path} lässt sich nicht neu schreiben: {why}</translation>
    </message>
    <message>
        <location filename="../../../daemon/purge/rows.py"/>
        <source>{path} is open elsewhere</source>
        <translation>{path} ist anderswo offen</translation>
    </message>
    <message>
        <location filename="../../../daemon/purge/rows.py"/>
        <source>check who owns the folder, and end what reads it</source>
        <translation>Prüfen Sie, wem der Ordner gehört, und beenden Sie, was die Datei liest</translation>
    </message>
    <message>
        <location filename="../../../daemon/purge/rows.py"/>
        <source>end what reads it, then delete again</source>
        <translation>Beenden Sie, was sie liest, und löschen Sie dann noch einmal</translation>
    </message>
    <message>
        <location filename="../../../daemon/purge/videos.py"/>
        <source>a video in {folder} cannot be shortened: {why}</source>
        <translation>Ein Video in {folder} lässt sich nicht kürzen: {why}</translation>
    </message>
    <message>
        <location filename="../../../daemon/purge/videos.py"/>
        <source>check who owns the folder</source>
        <translation>Prüfen Sie, wem der Ordner gehört</translation>
    </message>
    <message>
        <location filename="../../../daemon/runtime/evening_review.py"/>
        <source>{begin} to {end}, in {app}: were you stuck?</source>
        <translation>{begin} bis {end}, in {app}: Kamen Sie nicht weiter?</translation>
    </message>
    <message>
        <location filename="../../../daemon/runtime/evening_review.py"/>
        <source>{begin} to {end}, in {app} ({what}): were you stuck?</source>
        <translation>{begin} bis {end}, in {app} ({what}): Kamen Sie nicht weiter?</translation>
    </message>
    <message>
        <location filename="../../../daemon/runtime/evening_review.py"/>
        <source>{begin}, in {app} ({what}): how was the help offered?</source>
        <translation>{begin}, in {app} ({what}): Wie war die Hilfe?</translation>
    </message>
    <message>
        <location filename="../../../daemon/runtime/evening_review.py"/>
        <source>I do not remember</source>
        <translation>Ich erinnere mich nicht</translation>
    </message>
    <message>
        <location filename="../../../daemon/runtime/evening_review.py"/>
        <source>I was stuck</source>
        <translation>Ich kam nicht weiter</translation>
    </message>
    <message>
        <location filename="../../../daemon/runtime/evening_review.py"/>
        <source>I was fine</source>
        <translation>Ich kam zurecht</translation>
    </message>
    <message>
        <location filename="../../../daemon/runtime/evening_review.py"/>
        <source>That was help</source>
        <translation>Das hat geholfen</translation>
    </message>
    <message>
        <location filename="../../../daemon/runtime/evening_review.py"/>
        <source>That was nothing</source>
        <translation>Das war nichts</translation>
    </message>
    <message>
        <location filename="../../../daemon/runtime/instance.py"/>
        <source>Kairos is already running with {folder}</source>
        <translation>Kairos läuft schon mit {folder}</translation>
    </message>
    <message>
        <location filename="../../../daemon/runtime/instance.py"/>
        <source>talk to it: kairos status, kairos quit</source>
        <translation>Befehle dafür: kairos status, kairos quit</translation>
    </message>
    <message>
        <location filename="../../../daemon/runtime/policy_memory.py"/>
        <source>what the policy remembers has a shape that this version does not know</source>
        <translation>Was sich die Regel gemerkt hat, hat eine Form, die diese Version nicht kennt</translation>
    </message>
    <message>
        <location filename="../../../daemon/runtime/policy_memory.py"/>
        <source>muted: {topics}</source>
        <translation>Stummgeschaltet: {topics}</translation>
    </message>
    <message>
        <location filename="../../../daemon/runtime/policy_memory.py"/>
        <source>nothing is muted</source>
        <translation>Nichts ist stummgeschaltet</translation>
    </message>
    <message>
        <location filename="../../../daemon/runtime/policy_memory.py"/>
        <source>{topic} is not a topic that you muted</source>
        <translation>{topic} ist kein Thema, das Sie stummgeschaltet haben</translation>
    </message>
    <message>
        <location filename="../../../daemon/runtime/policy_memory.py"/>
        <source>forget it with: kairos why --forget all</source>
        <translation>Vergessen lassen Sie es mit: kairos why --forget all</translation>
    </message>
    <message>
        <location filename="../../../daemon/runtime/purging.py"/>
        <source>Kairos tries again by itself; nothing is captured until it is done.</source>
        <translation>Kairos versucht es von selbst wieder; bis das fertig ist, wird nichts erfasst.</translation>
    </message>
    <message>
        <location filename="../../../daemon/runtime/session.py"/>
        <source>the help library is off</source>
        <translation>Die Bibliothek der Hilfe ist ausgeschaltet</translation>
    </message>
    <message>
        <location filename="../../../daemon/runtime/session.py"/>
        <source>kairos config set help.library true</source>
        <translation>kairos config set help.library true</translation>
    </message>
    <message>
        <location filename="../../../daemon/runtime/study/actions.py"/>
        <source>The command did not answer. See: kairos study status</source>
        <translation>Der Befehl hat nicht geantwortet. Siehe: kairos study status</translation>
    </message>
    <message>
        <location filename="../../../daemon/runtime/study/enrolment.py"/>
        <source>the study names a policy that is not part of Kairos: {name}</source>
        <translation>Die Studie nennt eine Regel, die nicht zu Kairos gehört: {name}</translation>
    </message>
    <message>
        <location filename="../../../daemon/runtime/study/enrolment.py"/>
        <source>leave the study, and say so to whoever runs it</source>
        <translation>Verlassen Sie die Studie, und sagen Sie es denen, die sie leiten</translation>
    </message>
    <message>
        <location filename="../../../participant/commands/review.py"/>
        <source>what you were shown does not wait like that any more</source>
        <translation>Was Ihnen gezeigt wurde, wartet so nicht mehr</translation>
    </message>
    <message>
        <location filename="../../../participant/commands/review.py"/>
        <source>--through belongs to --send</source>
        <translation>--through gehört zu --send</translation>
    </message>
    <message>
        <location filename="../../../participant/commands/review.py"/>
        <location filename="../../../participant/delivery/review.py"/>
        <source>look again: kairos study review</source>
        <translation>Sehen Sie noch einmal nach: kairos study review</translation>
    </message>
    <message>
        <location filename="../../../participant/commands/review.py"/>
        <source>kairos study review --send --through SHA256</source>
        <translation>kairos study review --send --through SHA256</translation>
    </message>
    <message>
        <location filename="../../../participant/delivery/outbox.py"/>
        <source>parcels that were not received yet are lost with it</source>
        <translation>Pakete, die noch nicht angekommen sind, gehen damit verloren</translation>
    </message>
    <message>
        <location filename="../../../participant/delivery/outbox.py"/>
        <source>{path}: the address of the study is damaged</source>
        <translation>{path}: Die Adresse der Studie ist beschädigt</translation>
    </message>
    <message>
        <location filename="../../../participant/delivery/review.py"/>
        <source>what you looked at has changed since</source>
        <translation>Was Sie angesehen haben, hat sich seitdem geändert</translation>
    </message>
    <message>
        <location filename="../../../participant/delivery/review.py"/>
        <source>parcel {n} was let go already</source>
        <translation>Paket {n} wurde schon freigegeben</translation>
    </message>
    <message>
        <location filename="../../../participant/delivery/review.py"/>
        <source>how parcels are looked at is damaged</source>
        <translation>Wie Pakete angesehen werden, ist beschädigt gespeichert</translation>
    </message>
    <message>
        <location filename="../../../participant/delivery/review.py"/>
        <source>see: kairos study review</source>
        <translation>Siehe: kairos study review</translation>
    </message>
    <message>
        <location filename="../../../participant/delivery/review.py"/>
        <source>row {n}.{place} says what you agreed to and cannot be left out</source>
        <translation>Zeile {n}.{place} sagt, worin Sie eingewilligt haben, und lässt sich nicht weglassen</translation>
    </message>
    <message>
        <location filename="../../../participant/delivery/review.py"/>
        <source>to take it back: kairos study leave</source>
        <translation>Um sie zurückzunehmen: kairos study leave</translation>
    </message>
    <message>
        <location filename="../../../participant/documents/private_files.py"/>
        <source>remove it yourself</source>
        <translation>Entfernen Sie es selbst</translation>
    </message>
    <message>
        <location filename="../../../participant/membership/describe.py"/>
        <source>{days:day|days}: {what}</source>
        <translation>{days:Tag|Tage}: {what}</translation>
    </message>
    <message>
        <location filename="../../../participant/membership/describe.py"/>
        <source>A quiet day without offers comes before day 1.</source>
        <translation>Vor Tag 1 kommt ein stiller Tag ohne Angebote.</translation>
    </message>
    <message>
        <location filename="../../../participant/membership/describe.py"/>
        <source>What is sent goes through {host}, sealed so that the researchers alone can read it.</source>
        <translation>Was gesendet wird, geht über {host}, so versiegelt, dass es nur die Forschenden lesen können.</translation>
    </message>
    <message>
        <location filename="../../../participant/membership/describe.py"/>
        <source>Look at what is sent before it goes: kairos study review. In the first {days:day|days} only your agreement is sent before you let it go. From then on what waits is sent at 1 a.m. of the day after it was packed, looked at or not, unless you choose otherwise.</source>
        <translation>Sehen Sie an, was gesendet wird, bevor es geht: kairos study review. In den ersten {days:Tag|Tagen} wird nur Ihre Einwilligung gesendet, bevor Sie etwas freigeben. Von da an wird, was wartet, um 1 Uhr am Tag nach dem Packen gesendet, angesehen oder nicht, wenn Sie nichts anderes wählen.</translation>
    </message>
    <message>
        <location filename="../../../participant/membership/describe.py"/>
        <source>Groups and assignments are hidden from you until the study is over.</source>
        <translation>Gruppen und Zuteilungen bleiben Ihnen verborgen, bis die Studie vorbei ist.</translation>
    </message>
    <message>
        <location filename="../../../participant/membership/describe.py"/>
        <source>After you leave, what was sent is deleted within {days:day|days}, or kept if you ask.</source>
        <translation>Wenn Sie aussteigen, wird das Gesendete innerhalb von {days:Tag|Tagen} gelöscht, oder behalten, wenn Sie darum bitten.</translation>
    </message>
    <message>
        <location filename="../../../participant/membership/describe.py"/>
        <source>Tasks, if you turn them on: {tasks}</source>
        <translation>Aufgaben, wenn Sie sie einschalten: {tasks}</translation>
    </message>
    <message>
        <location filename="../../../participant/membership/describe.py"/>
        <source>Questions, if you turn them on: {questions}</source>
        <translation>Fragen, wenn Sie sie einschalten: {questions}</translation>
    </message>
    <message>
        <location filename="../../../participant/membership/describe.py"/>
        <source>depending on the group you are in, which is hidden until the end: {ways}</source>
        <translation>je nach Ihrer Gruppe, die bis zum Ende verborgen bleibt: {ways}</translation>
    </message>
    <message>
        <location filename="../../../participant/membership/describe.py"/>
        <source>{one}; or {other}</source>
        <translation>{one}; oder {other}</translation>
    </message>
    <message>
        <location filename="../../../participant/membership/describe.py"/>
        <source>{what}, and chance decides which offers are made</source>
        <translation>{what}, und der Zufall entscheidet, welche Angebote gemacht werden</translation>
    </message>
    <message>
        <location filename="../../../participant/membership/describe.py"/>
        <source>{what}, with probability {probability:g}</source>
        <translation>{what}, mit Wahrscheinlichkeit {probability:g}</translation>
    </message>
    <message>
        <location filename="../../../participant/membership/describe.py"/>
        <source>at most {most} an hour</source>
        <translation>höchstens {most} pro Stunde</translation>
    </message>
    <message>
        <location filename="../../../participant/membership/describe.py"/>
        <source>at most {most} a day</source>
        <translation>höchstens {most} pro Tag</translation>
    </message>
    <message>
        <location filename="../../../participant/membership/describe.py"/>
        <source>nothing is offered</source>
        <translation>es wird nichts angeboten</translation>
    </message>
    <message>
        <location filename="../../../participant/membership/describe.py"/>
        <source>Kairos offers help as it usually does</source>
        <translation>Kairos bietet Hilfe an wie sonst auch</translation>
    </message>
    <message>
        <location filename="../../../participant/membership/describe.py"/>
        <source>Kairos offers help whenever need seems higher than a fixed value</source>
        <translation>Kairos bietet Hilfe an, wenn der Bedarf höher scheint als ein fester Wert</translation>
    </message>
    <message>
        <location filename="../../../participant/membership/describe.py"/>
        <source>Kairos offers help whenever it may</source>
        <translation>Kairos bietet Hilfe an, sooft es darf</translation>
    </message>
    <message>
        <location filename="../../../participant/membership/describe.py"/>
        <source>Kairos offers help at moments drawn at random</source>
        <translation>Kairos bietet Hilfe in zufällig gezogenen Momenten an</translation>
    </message>
    <message>
        <location filename="../../../participant/membership/leaving.py"/>
        <source>several studies can be left: {names}</source>
        <translation>Mehrere Studien lassen sich verlassen: {names}</translation>
    </message>
    <message>
        <location filename="../../../participant/membership/leaving.py"/>
        <location filename="../../../participant/membership/status.py"/>
        <source>see: kairos study status</source>
        <translation>Siehe: kairos study status</translation>
    </message>
    <message>
        <location filename="../../../participant/membership/leaving.py"/>
        <source>name one: kairos study leave NAME</source>
        <translation>Nennen Sie eine: kairos study leave NAME</translation>
    </message>
    <message>
        <location filename="../../../participant/membership/status.py"/>
        <source>{path} is damaged</source>
        <translation>{path} ist beschädigt</translation>
    </message>
    <message>
        <location filename="../../../participant/membership/status.py"/>
        <source>there are several studies on this machine</source>
        <translation>Auf diesem Rechner gibt es mehrere Studien</translation>
    </message>
    <message>
        <location filename="../../../participant/membership/status.py"/>
        <source>you take part in no study</source>
        <translation>Sie nehmen an keiner Studie teil</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Capture</source>
        <translation>Aufnahme</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>How the screen and input are sampled.</source>
        <translation>Wie oft Bildschirm und Eingaben angesehen werden.</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Exclusions</source>
        <translation>Ausnahmen</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>What is never stored while any part of it is visible. Password managers, prompts for passphrases, lock screens and private browser windows are always fenced; these add to them.</source>
        <translation>Was nie gespeichert wird, solange ein Teil davon zu sehen ist. Passwortverwaltungen, Passwortabfragen, Sperrbildschirme und private Browserfenster sind immer ausgenommen; diese kommen hinzu.</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Windows of time</source>
        <translation>Zeitfenster</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>How time is divided for detectors.</source>
        <translation>Wie die Zeit für die Detektoren eingeteilt wird.</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Detector</source>
        <translation>Detektor</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>What estimates whether help is needed.</source>
        <translation>Wer einschätzt, ob Sie Hilfe brauchen.</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Model on this machine</source>
        <translation>Modell auf diesem Rechner</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Queried where its answer can change a decision.</source>
        <translation>Wird gefragt, wenn seine Antwort eine Entscheidung ändern kann.</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Stronger model</source>
        <translation>Stärkeres Modell</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Queried where the local one is unsure.</source>
        <translation>Wird gefragt, wenn das Modell auf diesem Rechner unsicher ist.</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Timing of offers</source>
        <translation>Zeitpunkt von Angeboten</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>When an offer may be made. Benefit and costs are your time: an offer is made where what it saves you, by how probable it is that you need it, is more than what it costs you.</source>
        <translation>Wann etwas angeboten werden darf. Nutzen und Kosten werden in Ihrer Zeit gerechnet: Angeboten wird, wenn ein Angebot Ihnen voraussichtlich mehr Zeit spart, als es Sie kostet.</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>What an offer brings.</source>
        <translation>Was ein Angebot enthält.</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Narration</source>
        <translation>Lautes Denken</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>How what you said is written down.</source>
        <translation>Wie Gesprochenes aufgeschrieben wird.</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Storage</source>
        <translation>Speicherung</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Where sessions go and how long they stay.</source>
        <translation>Wo Sitzungen liegen und wie lange sie bleiben.</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Interface</source>
        <translation>Oberfläche</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>The card, its keys, the language and the evening review.</source>
        <translation>Die Karte, ihre Tasten, die Sprache und der Rückblick am Abend.</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Active (pictures a second)</source>
        <translation>Aktiv (Bilder pro Sekunde)</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>screen samples a second while you type or point, at most</source>
        <translation>so oft pro Sekunde wird der Bildschirm höchstens angesehen, während Sie tippen oder die Maus bewegen</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Passive (pictures a second)</source>
        <translation>Passiv (Bilder pro Sekunde)</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>the same when something moves without you: a video, a clock</source>
        <translation>dasselbe, wenn sich ohne Ihr Zutun etwas bewegt, etwa ein Video oder eine Uhr</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Stay active after input for</source>
        <translation>Nach Eingaben aktiv bleiben</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>how long after your last input `active_fps` holds</source>
        <translation>wie lange nach Ihrer letzten Eingabe `active_fps` noch gilt</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Collect input for</source>
        <translation>Eingaben bündeln für</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>in a flow of input, events after the first are collected for this long: each wake-up costs CPU time</source>
        <translation>geben Sie viel hintereinander ein, werden die Ereignisse nach dem ersten so lange gebündelt: Jedes Aufwachen kostet Rechenzeit</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Motion (a second)</source>
        <translation>Bewegung (pro Sekunde)</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>pointer positions stored a second</source>
        <translation>so viele Positionen des Mauszeigers werden pro Sekunde gespeichert</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Store width</source>
        <translation>Breite der gespeicherten Bilder</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>width of stored pictures; half of full HD takes 3.3 times less disk</source>
        <translation>Breite der gespeicherten Bilder in Pixeln; die Hälfte von Full HD braucht nur ein Drittel des Platzes</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Pictures in memory</source>
        <translation>Bilder im Arbeitsspeicher</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>how long pictures stay in memory, for detectors that look at pixels; the default one does not</source>
        <translation>wie lange Bilder im Arbeitsspeicher bleiben, für Detektoren, die Bilder auswerten; der voreingestellte tut das nicht</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>JPEG quality</source>
        <translation>JPEG-Qualität</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>quality of pictures in memory</source>
        <translation>Qualität der Bilder im Arbeitsspeicher</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Repeat a still picture after</source>
        <translation>Unverändertes Bild wiederholen nach</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>when the screen goes still, its last picture is written again after this long, so that a crash keeps it</source>
        <translation>bleibt der Bildschirm unverändert, wird sein letztes Bild nach dieser Zeit noch einmal geschrieben, damit es einen Absturz übersteht</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Record screen</source>
        <translation>Bildschirm aufzeichnen</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>whether a video of the screen and full titles are stored beside the journal: `on`, `off` or `as-agreed` when you gave your consent. `on` is your yes</source>
        <translation>ob zusätzlich zum Journal ein Video des Bildschirms und vollständige Fenstertitel gespeichert werden: `on` (ja), `off` (nein) oder `as-agreed` (wie bei Ihrer Einwilligung). Mit `on` stimmen Sie zu</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Record speech</source>
        <translation>Sprache aufnehmen</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>whether the microphone is recorded beside the journal, for thinking aloud; whoever else speaks in the room is heard too: `on`, `off` or `as-agreed` when you gave your consent. `on` is your yes</source>
        <translation>ob zusätzlich zum Journal das Mikrofon aufgenommen wird, wenn Sie laut denken; wer sonst im Raum spricht, ist mit zu hören: `on` (ja), `off` (nein) oder `as-agreed` (wie bei Ihrer Einwilligung). Mit `on` stimmen Sie zu</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Understand controls</source>
        <translation>Bedienelemente verstehen</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>which control is touched, which dialog or error appears, from the desktop's accessibility interface: `on`, `off` or `as-agreed` when you gave your consent. `on` is your yes</source>
        <translation>welches Bedienelement Sie benutzen und welcher Dialog oder Fehler erscheint, über die Schnittstelle des Desktops für Barrierefreiheit: `on` (ja), `off` (nein) oder `as-agreed` (wie bei Ihrer Einwilligung). Mit `on` stimmen Sie zu</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Read outputs</source>
        <translation>Ausgaben lesen</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>where controls are understood, what a program writes after a command is looked through for an error: `on`, `off` or `as-agreed` when you gave your consent. `on` is your yes</source>
        <translation>wenn Bedienelemente verstanden werden: ob auch das, was ein Programm nach einem Befehl ausgibt, nach Fehlern durchgesehen wird: `on` (ja), `off` (nein) oder `as-agreed` (wie bei Ihrer Einwilligung). Mit `on` stimmen Sie zu</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Excluded programs</source>
        <translation>Ausgeschlossene Programme</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>applications by window class, instance or program file, in whole words and any edition: `["signal", "firefox"]` is `firefox-esr` too; all windows of such a program</source>
        <translation>alle Fenster dieser Programme, genannt nach Fensterklasse, Instanz oder Programmdatei, in ganzen Wörtern und für jede Ausgabe: `["signal", "firefox"]` gilt auch für `firefox-esr`</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Excluded titles</source>
        <translation>Ausgeschlossene Titel</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>parts of window titles, in any case; dialogs and menus of the window too, also while it is minimised</source>
        <translation>Teile von Fenstertiteln; Groß- und Kleinschreibung ist egal. Gilt auch für Dialoge und Menüs des Fensters, selbst wenn es minimiert ist</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Cover new browser windows for</source>
        <translation>Neue Browserfenster verdecken für</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>a browser window younger than this is covered: its title may still turn out to be private</source>
        <translation>so lange bleibt ein neues Browserfenster verdeckt: Es kann sich noch als privat erweisen</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Cover unknown browsers</source>
        <translation>Unbekannte Browser verdecken</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>cover pixels and titles of browser windows that do not prove to be ordinary (all of Chromium's: a private one looks the same); their key classes, clicks and changes count</source>
        <translation>Bilder und Titel von Browserfenstern verdecken, die nicht sicher gewöhnliche sind (bei Chromium alle, denn private sehen dort genauso aus); Tastenarten, Klicks und Änderungen zählen trotzdem</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Length of a window</source>
        <translation>Länge eines Zeitfensters</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>length of a window; help segments of the GUIDE benchmark average 25.6 s</source>
        <translation>Länge eines Zeitfensters; im GUIDE-Benchmark dauern Abschnitte mit Hilfebedarf im Mittel 25,6 s</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Moments in a window</source>
        <translation>Momente in einem Zeitfenster</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>moments in it that a detector sees</source>
        <translation>so viele Momente daraus sieht ein Detektor</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Away after</source>
        <translation>Abwesend nach</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>without input for this long no new window is opened</source>
        <translation>nach so langer Zeit ohne Eingabe beginnt kein neues Zeitfenster</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>`embedded` (the model that comes with Kairos), `evidence` (rules, no model), a model file `FILE.onnx` written by `kairos train`, or `package.module:factory` for your own</source>
        <translation>`embedded` (das mitgelieferte Modell), `evidence` (Regeln ohne Modell), eine mit `kairos train` erstellte Modelldatei `DATEI.onnx` oder `package.module:factory` für einen eigenen Detektor</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Base rate</source>
        <translation>Grundhäufigkeit</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>in what share of windows help is needed</source>
        <translation>in welchem Anteil der Zeitfenster Hilfe gebraucht wird</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Preset</source>
        <translation>Voreinstellung</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>a name from `kairos models list`; empty: no model</source>
        <translation>ein Name aus `kairos models list`; leer heißt: kein Modell</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>the model's name at the server; empty: the preset's</source>
        <translation>wie das Modell beim Server heißt; leer: der Name aus der Voreinstellung</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>the server's address; empty: the preset's</source>
        <translation>die Adresse des Servers; leer: die Adresse aus der Voreinstellung</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Key name</source>
        <translation>Name des Schlüssels</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>the environment variable, or the entry of the desktop's keyring (`pip install 'kairos-assistant[keys]'`), with the key; empty: the preset's. The key itself is never a setting</source>
        <translation>die Umgebungsvariable oder der Eintrag im Schlüsselbund des Desktops (`pip install 'kairos-assistant[keys]'`), in dem der Schlüssel steht; leer: der Name aus der Voreinstellung. Der Schlüssel selbst steht nie in den Einstellungen</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Send pictures of the screen</source>
        <translation>Bilder des Bildschirms senden</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>permit sending pictures to a server that is not on this machine, or that another user runs on it; without it such a server gets nothing. Mind what becomes of them there: some free offers use what they get for training (`kairos models list`)</source>
        <translation>erlaubt es, Bilder an einen Server zu senden, der nicht auf diesem Rechner läuft oder hier einem anderen Benutzer gehört; sonst bekommt ein solcher Server nichts. Achten Sie darauf, was dort mit den Bildern geschieht: Manche kostenlosen Dienste trainieren damit (`kairos models list`)</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>On battery</source>
        <translation>Im Akkubetrieb</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>whether a model on this machine is queried while the machine runs on battery</source>
        <translation>ob ein Modell auf diesem Rechner auch im Akkubetrieb gefragt wird</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Deadline</source>
        <translation>Frist</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>an answer that takes longer is dropped: the next estimate comes six seconds later</source>
        <translation>dauert eine Antwort länger, wird sie verworfen: Die nächste Schätzung folgt sechs Sekunden später</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Frames</source>
        <translation>Bilder</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>pictures sent with one query, at most (GUIDE 4.1)</source>
        <translation>so viele Bilder gehen höchstens mit einer Anfrage mit (GUIDE 4.1)</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Calls per day</source>
        <translation>Anfragen pro Tag</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>after so many queries the model is not queried until midnight</source>
        <translation>nach so vielen Anfragen wird das Modell bis Mitternacht nicht mehr gefragt</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Tokens per day</source>
        <translation>Tokens pro Tag</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>the same, in tokens of prompt and answer</source>
        <translation>dasselbe in Tokens, Anfrage und Antwort zusammen</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Dollars per day</source>
        <translation>Dollar pro Tag</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>the same, in US dollars by the preset's price. With 0 nothing that costs money is queried; a model whose price is not known is limited by calls and tokens alone</source>
        <translation>dasselbe in US-Dollar, nach dem Preis der Voreinstellung. Mit 0 wird nichts gefragt, was Geld kostet; für Modelle ohne bekannten Preis gelten nur die Grenzen für Anfragen und Tokens</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>which policy decides. `utility` is the one described here, `default` another name of it. `silent` decides and logs the same and shows nothing; `threshold`, `always` and `random` are there to compare with. Or `package.module:factory` for your own</source>
        <translation>welche Regel entscheidet. `utility` ist die hier beschriebene, `default` ein anderer Name dafür. `silent` entscheidet genauso und schreibt es auf, zeigt aber nichts; `threshold`, `always` und `random` dienen dem Vergleich. Mit `package.module:factory` nehmen Sie eine eigene</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>How often</source>
        <translation>Wie oft</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>how often help may be offered in calm work: `rarely` (about once in ten hours), `now and then` (once in two hours) or `often` (twice an hour). Which evidence is that rare is learned in your own time, for each program</source>
        <translation>wie oft bei ruhiger Arbeit Hilfe angeboten werden darf: `rarely` (selten, etwa einmal in zehn Stunden), `now and then` (ab und zu, einmal in zwei Stunden) oder `often` (oft, zweimal in der Stunde). Welche Anzeichen so selten sind, lernt Kairos aus Ihrer eigenen Arbeit, für jedes Programm</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Quiet first minutes</source>
        <translation>Stille erste Minuten</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>no offers in the first minutes of a session</source>
        <translation>in den ersten Minuten einer Sitzung kommen keine Angebote</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Offers per hour</source>
        <translation>Angebote pro Stunde</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>offers an hour, at most, however often help is needed</source>
        <translation>höchstens so viele Angebote pro Stunde, auch wenn öfter Hilfe nötig scheint</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Offers per day</source>
        <translation>Angebote pro Tag</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>offers a day, at most</source>
        <translation>höchstens so viele Angebote pro Tag</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Cooldown</source>
        <translation>Ruhe nach einem Angebot</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>no offer for this long after one was shown</source>
        <translation>so lange kommt nach einem Angebot kein weiteres</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Rest after a dismissal</source>
        <translation>Ruhe nach einer Ablehnung</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>no offer for this long after you dismissed one, for that application and topic; doubles each time</source>
        <translation>so lange kommt zu diesem Programm und Thema nichts mehr, nachdem Sie ein Angebot abgelehnt haben; die Zeit verdoppelt sich jedes Mal</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Longest rest after dismissals</source>
        <translation>Längste Ruhe nach Ablehnungen</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>but never longer than this</source>
        <translation>länger als das wird die Ruhe nie</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Evidence half life</source>
        <translation>Halbwertszeit der Anzeichen</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>how fast evidence of earlier windows fades</source>
        <translation>wie schnell die Anzeichen früherer Zeitfenster an Gewicht verlieren</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Benefit</source>
        <translation>Nutzen</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>what an offer saves you when you need it</source>
        <translation>wie viel Zeit Ihnen ein Angebot spart, wenn Sie es brauchen</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Cost of a needless offer</source>
        <translation>Kosten eines unnötigen Angebots</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>what one that you do not need costs in trust and reading, beside the interruption</source>
        <translation>was ein unnötiges Angebot über die Unterbrechung hinaus kostet, an Vertrauen und Lesezeit</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Acceptance</source>
        <translation>Annahmequote</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>how many offers are accepted, before you have answered any: the click-through reported for one product. The benefit grows and shrinks with what you accept, for each application, state and topic</source>
        <translation>welcher Anteil der Angebote angenommen wird, solange Sie noch keines beantwortet haben: die Klickrate, die für ein Produkt berichtet wurde. Je nachdem, was Sie annehmen, steigt oder sinkt der Nutzen, für jedes Programm, jeden Zustand und jedes Thema</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Acceptance weight</source>
        <translation>Gewicht der Annahmequote</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>how many of your answers this counts as</source>
        <translation>so viele Ihrer Antworten wiegt dieser Anteil auf</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Learning half life (days)</source>
        <translation>Halbwertszeit des Gelernten (Tage)</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>how fast your answers are forgotten</source>
        <translation>nach so vielen Tagen zählt eine Antwort noch halb</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Cost of interrupting at a break</source>
        <translation>Kosten einer Unterbrechung in einer Pause</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>what an interruption at a break costs: the median time that programmers in a published study took to answer when they could be interrupted (50 cases)</source>
        <translation>was eine Unterbrechung in einer Pause kostet: In einer veröffentlichten Studie brauchten Programmierende, die gerade unterbrochen werden konnten, im Mittel so lange bis zur Antwort (50 Fälle)</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Cost of interrupting work</source>
        <translation>Kosten einer Unterbrechung bei der Arbeit</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>the same in the middle of work: when they could not (32 cases)</source>
        <translation>dasselbe mitten in der Arbeit, als sie gerade nicht unterbrochen werden konnten (32 Fälle)</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Same topic again after</source>
        <translation>Dasselbe Thema wieder nach</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>an offer about the same topic is not repeated for this long, in whatever application</source>
        <translation>so lange wird ein Angebot zum selben Thema nicht wiederholt, gleich in welchem Programm</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Break</source>
        <translation>Pause</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>no input for this long is a natural break</source>
        <translation>so lange ohne Eingabe gilt als Pause</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Wait for a break</source>
        <translation>Warten auf eine Pause</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>how long an offer waits for a break; then it is made if its evidence still holds and the hands are free, else dropped</source>
        <translation>wie lange ein Angebot auf eine Pause wartet; danach kommt es, wenn sein Anlass noch besteht und Sie gerade nichts eingeben, sonst wird es verworfen</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Withdraw an offer after</source>
        <translation>Angebot zurückziehen nach</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>an unanswered offer older than this is withdrawn</source>
        <translation>ein Angebot ohne Antwort wird nach dieser Zeit zurückgezogen</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>how long "Snooze" on a card stops all offers</source>
        <translation>wie lange „Vorerst Ruhe“ auf einer Karte alle Angebote anhält</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Exploration</source>
        <translation>Erkundung</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>for studies: the share of offers that `utility` withholds at random; the probability of every action is in the log</source>
        <translation>für Studien: welchen Anteil der Angebote `utility` per Zufall zurückhält; die Wahrscheinlichkeit jeder Entscheidung wird aufgeschrieben</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Threshold</source>
        <translation>Schwelle</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>what the newest estimate must reach under `threshold`</source>
        <translation>diesen Wert muss die neueste Schätzung mit `threshold` erreichen</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Arm probability</source>
        <translation>Wahrscheinlichkeit des Arms</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>the chance of each estimate to bring an offer under `random`: some four an hour</source>
        <translation>mit welcher Wahrscheinlichkeit eine Schätzung mit `random` ein Angebot bringt: etwa vier pro Stunde</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Library</source>
        <translation>Bibliothek</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>index the documentation of installed programs once a day, search it before an offer is made, and make none where no page fits; `false`: nothing is indexed by itself, and offers bring general advice alone</source>
        <translation>einmal am Tag die Dokumentation installierter Programme einlesen, sie vor jedem Angebot durchsuchen und keines machen, wenn keine Seite passt; `false`: Nichts wird von selbst eingelesen, und Angebote bringen nur allgemeinen Rat</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>when a model on this machine writes an answer for the card, from a picture of the screen, the names of its controls and the pages found: `off` never; `on-request` when you press the card's button or type a question; `on-acceptance` also when you press *Show me* or ask for help; `ahead` also while an offer is prepared, so that it is there at once: many of these are never shown. Nothing while no model is on</source>
        <translation>wann ein Modell auf diesem Rechner eine Antwort für die Karte schreibt, aus einem Bild des Bildschirms, den Namen der Bedienelemente und den gefundenen Seiten: `off` nie; `on-request`, wenn Sie die Schaltfläche der Karte drücken oder eine Frage tippen; `on-acceptance` auch, wenn Sie auf *Zeigen* drücken oder um Hilfe bitten; `ahead` schon während ein Angebot vorbereitet wird, damit die Antwort gleich da ist (viele davon werden nie gezeigt). Ohne eingeschaltetes Modell geschieht nichts</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Remote model</source>
        <translation>Modell anderswo</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>the same (`off`, `on-request`, `on-acceptance`, `ahead`) for a model elsewhere, which costs money and is sent all that; it is asked only where none on this machine can be, and needs the `send_screens` of its tier</source>
        <translation>dasselbe (`off`, `on-request`, `on-acceptance`, `ahead`) für ein Modell anderswo, das Geld kostet und all das zugesandt bekommt; es wird nur gefragt, wenn auf diesem Rechner keines gefragt werden kann, und nur, wenn bei diesem Modell `send_screens` eingeschaltet ist</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Model pictures</source>
        <translation>Bilder für das Modell</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>whether a picture of the screen goes with it; `false`: the names of controls and the pages alone</source>
        <translation>ob dabei ein Bild des Bildschirms mitgeschickt wird; `false`: nur die Namen der Bedienelemente und die Seiten</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Model deadline</source>
        <translation>Frist des Modells</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>how long a model may take to write such an answer</source>
        <translation>wie lange ein Modell für eine solche Antwort brauchen darf</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Model folder</source>
        <translation>Ordner des Modells</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>folder of a Whisper model in CTranslate2's format, which writes down what you said; empty: none. Kairos fetches no model</source>
        <translation>Ordner mit einem Whisper-Modell im Format von CTranslate2, das aufschreibt, was Sie gesagt haben; leer: keines. Kairos lädt selbst kein Modell herunter</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>the language you speak, as two letters such as `de`; empty: English. The model must know it</source>
        <translation>die Sprache, die Sie sprechen, als zwei Buchstaben wie `de`; leer: Englisch. Das Modell muss sie kennen</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Folder of sessions</source>
        <translation>Ordner der Sitzungen</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>folder of sessions; empty: `~/.local/state/kairos/sessions` (or under `XDG_STATE_HOME`)</source>
        <translation>Ordner der Sitzungen; leer: `~/.local/state/kairos/sessions` (oder unter `XDG_STATE_HOME`)</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>On disk after</source>
        <translation>Auf dem Datenträger nach</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>what happened is on disk after at most this long</source>
        <translation>nach höchstens dieser Zeit ist gespeichert, was geschah</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Largest session (MB)</source>
        <translation>Größte Sitzung (MB)</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>a session is cut here; also at midnight and after suspend</source>
        <translation>bei dieser Größe beginnt eine neue Sitzung; auch um Mitternacht und nach dem Ruhezustand</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Length of a video file</source>
        <translation>Länge einer Videodatei</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>a new video file is begun this often</source>
        <translation>nach dieser Zeit beginnt eine neue Videodatei</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Keep (days)</source>
        <translation>Aufbewahren (Tage)</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>older sessions are deleted, with a notice before. What was sent to models is kept as long</source>
        <translation>ältere Sitzungen werden gelöscht; ein Hinweis kommt vorher. Was an Modelle gesendet wurde, bleibt ebenso lange</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Keep (GB)</source>
        <translation>Aufbewahren (GB)</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>the oldest sessions are deleted when all take more than this, with what they sent to models and a notice before. Tests and benchmarks of models make room first</source>
        <translation>brauchen alle Sitzungen zusammen mehr, werden die ältesten gelöscht, mit dem, was für sie an Modelle gesendet wurde; ein Hinweis kommt vorher. Zuerst machen Tests und Benchmarks von Modellen Platz</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Least free space (MB)</source>
        <translation>Mindestens frei (MB)</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>recording stops, with a notice, when less than this is free on the disk</source>
        <translation>ist auf dem Datenträger weniger frei, endet die Aufzeichnung mit einem Hinweis</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Corner</source>
        <translation>Ecke</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>where it appears: `bottom-right`, `bottom-left`, `top-right` or `top-left`</source>
        <translation>wo sie erscheint: `bottom-right` (unten rechts), `bottom-left` (unten links), `top-right` (oben rechts) oder `top-left` (oben links)</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Shortcut to ask</source>
        <translation>Tastenkürzel zum Fragen</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>keys that open the field to ask in, in any program, such as `Ctrl+Alt+K`; empty: none. The desktop and its programs then no longer get them. On Wayland the desktop is asked for them, if it gives any</source>
        <translation>Tasten, die in jedem Programm das Fragefeld öffnen, zum Beispiel `Strg+Alt+K`; leer: keine. Der Desktop und seine Programme bekommen diese Tasten dann nicht mehr. Unter Wayland wird die Arbeitsumgebung darum gebeten, falls sie welche gibt</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Shortcut to the card</source>
        <translation>Tastenkürzel zur Karte</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>keys that give the card the keyboard; Tab goes through it, Escape leaves it. Taken from programs only while a card or notice is there</source>
        <translation>Tasten, mit denen Sie die Karte mit der Tastatur bedienen; Tab geht durch die Karte, Escape verlässt sie. Anderen Programmen fehlen diese Tasten nur, solange eine Karte oder ein Hinweis da ist</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Shortcut to dismiss</source>
        <translation>Tastenkürzel zum Schließen</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>keys that take the card or notice away; taken from programs in the same way</source>
        <translation>Tasten, die eine Karte oder einen Hinweis schließen; auch sie fehlen anderen Programmen nur so lange</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>the language of tray, card and windows: `system` is the desktop's, `en` English, `de` German; what there is no catalogue for is English. The command line is English</source>
        <translation>die Sprache von Symbol, Karte und Fenstern: `system` ist die des Desktops, `en` Englisch, `de` Deutsch; gibt es keine Übersetzung, ist es Englisch. Die Befehlszeile ist immer englisch</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>colours of all windows: `light`, `dark`, or as the desktop has it (`system`); what is open stays as it is</source>
        <translation>Farben aller Fenster: `light` (hell), `dark` (dunkel) oder `system` (wie der Desktop); offene Fenster bleiben, wie sie sind</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Size of text (%)</source>
        <translation>Schriftgröße (%)</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>size of text, beside what the desktop says</source>
        <translation>Schriftgröße, zusätzlich zur Einstellung des Desktops</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>High contrast</source>
        <translation>Hoher Kontrast</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>high contrast for the windows of Kairos, also where the desktop does not ask for it; windows that are open stay as they are</source>
        <translation>hoher Kontrast für die Fenster von Kairos, auch wenn der Desktop ihn nicht verlangt; offene Fenster bleiben, wie sie sind</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>offer nothing unasked in these hours; asking works</source>
        <translation>in diesen Stunden wird nichts von selbst angeboten; fragen können Sie trotzdem</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Quiet from (hour)</source>
        <translation>Ruhe ab (Uhr)</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>from which hour of the day on</source>
        <translation>ab welcher Stunde</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Quiet until (hour)</source>
        <translation>Ruhe bis (Uhr)</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>until which hour</source>
        <translation>bis zu welcher Stunde</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Evening review</source>
        <translation>Rückblick am Abend</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>once a day, at a break, ask of at most five moments of that day whether you were stuck; your answers count as what you say in the timeline. Never while you take part in a study</source>
        <translation>einmal am Tag, in einer Pause, zu höchstens fünf Momenten des Tages fragen, ob Sie nicht weiterkamen; Ihre Antworten zählen wie Ihre Angaben in der Zeitleiste. Nie während der Teilnahme an einer Studie</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Evening review from (hour)</source>
        <translation>Rückblick ab (Uhr)</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>Offer stays for</source>
        <translation>Angebot bleibt sichtbar</translation>
    </message>
    <message>
        <location filename="../../../storage/settings.py"/>
        <source>then it goes away and counts as ignored</source>
        <translation>danach verschwindet es und gilt als nicht beantwortet</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/data/presets.toml"/>
        <source>llama.cpp's server, started with --mmproj; the best known choice on this machine</source>
        <translation>der Server von llama.cpp, gestartet mit --mmproj; die beste bekannte Wahl auf diesem Rechner</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/data/presets.toml"/>
        <source>pull the model first; versions before 0.12.11 give no log-probabilities</source>
        <translation>laden Sie das Modell zuerst; Versionen vor 0.12.11 liefern keine Log-Wahrscheinlichkeiten</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/data/presets.toml"/>
        <source>takes no context length and cuts long prompts without a word, so few pictures; rather use ollama</source>
        <translation>nimmt keine Kontextlänge an und kürzt lange Anfragen wortlos, daher nur wenige Bilder; besser ollama</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/data/presets.toml"/>
        <source>gives no log-probabilities; reads a prompt to its end although nobody waits for it; also for MLX</source>
        <translation>liefert keine Log-Wahrscheinlichkeiten; liest eine Anfrage zu Ende, auch wenn niemand mehr wartet; auch für MLX</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/data/presets.toml"/>
        <source>may have to be started with a higher --limit-mm-per-prompt</source>
        <translation>muss vielleicht mit einem höheren --limit-mm-per-prompt gestartet werden</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/data/presets.toml"/>
        <source>python -m llama_cpp.server with --chat_format mtmd; answers json_schema with an error</source>
        <translation>python -m llama_cpp.server mit --chat_format mtmd; beantwortet json_schema mit einem Fehler</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/data/presets.toml"/>
        <source>ignores the shape that is asked for, so it is told in words; transformers-systemone is its other door</source>
        <translation>beachtet die verlangte Form nicht, daher wird sie in Worten gesagt; transformers-systemone ist sein anderer Zugang</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/data/presets.toml"/>
        <source>typed questions of transformers serve: probabilities without text, four pictures, no free questions</source>
        <translation>typisierte Fragen von transformers serve: Wahrscheinlichkeiten ohne Text, vier Bilder, keine freien Fragen</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/data/presets.toml"/>
        <source>servers for MLX differ, so give url and model and run the probe; LM Studio is the easy way</source>
        <translation>Server für MLX unterscheiden sich; geben Sie url und model an und führen Sie die Probe aus; LM Studio ist der einfache Weg</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/data/presets.toml"/>
        <source>asked not to store anything; run the probe: not every model gives log-probabilities or stops reasoning</source>
        <translation>wird gebeten, nichts zu speichern; führen Sie die Probe aus: Nicht jedes Modell liefert Log-Wahrscheinlichkeiten oder lässt das Nachdenken bleiben</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/data/presets.toml"/>
        <source>probabilities without text; no free questions</source>
        <translation>Wahrscheinlichkeiten ohne Text; keine freien Fragen</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/data/presets.toml"/>
        <source>gives no log-probabilities; the price is that of prompts up to 100,000 tokens</source>
        <translation>liefert keine Log-Wahrscheinlichkeiten; der Preis gilt für Anfragen bis 100.000 Token</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/data/presets.toml"/>
        <source>without billing Google may use what is sent to improve its products; no log-probabilities</source>
        <translation>ohne Abrechnung darf Google das Gesendete nutzen, um seine Produkte zu verbessern; keine Log-Wahrscheinlichkeiten</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/data/presets.toml"/>
        <source>a beta; probabilities without text; without billing Google may use what is sent to improve its products</source>
        <translation>eine Betaversion; Wahrscheinlichkeiten ohne Text; ohne Abrechnung darf Google das Gesendete nutzen, um seine Produkte zu verbessern</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/data/presets.toml"/>
        <source>paid by subscription, so no price per token is known</source>
        <translation>wird im Abonnement bezahlt, daher ist kein Preis je Token bekannt</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/data/presets.toml"/>
        <source>name a model; who reads what is sent depends on it, and so does everything else: run the probe</source>
        <translation>nennen Sie ein Modell; davon hängt ab, wer das Gesendete liest, und alles andere auch: führen Sie die Probe aus</translation>
    </message>
    <message>
        <location filename="../../../detectors/mllm/data/presets.toml"/>
        <source>any other server of this kind: give url, model and, where it wants one, key_name, and run the probe</source>
        <translation>jeder andere Server dieser Art: geben Sie url, model und, wo er einen will, key_name an, und führen Sie die Probe aus</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/copy_paste.md"/>
        <source>Copy and paste goes wrong</source>
        <translation>Kopieren und Einfügen misslingt</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/copy_paste.md"/>
        <source>Copy again with Ctrl+C or Edit &gt; Copy, and make sure that what you want is highlighted.</source>
        <translation>Kopieren Sie noch einmal mit Strg+C oder Bearbeiten &gt; Kopieren, und achten Sie darauf, dass markiert ist, was Sie brauchen.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/copy_paste.md"/>
        <source>Click where it should go, so that a cursor or frame shows there.</source>
        <translation>Klicken Sie dorthin, wo es hinsoll, sodass dort ein Cursor oder Rahmen erscheint.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/copy_paste.md"/>
        <source>Paste with Ctrl+Shift+V or Edit &gt; Paste Special to choose between text, table and picture.</source>
        <translation>Fügen Sie mit Strg+Umschalt+V oder Bearbeiten &gt; Inhalte einfügen ein, um zwischen Text, Tabelle und Bild zu wählen.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/copy_paste.md"/>
        <source>If nothing comes, paste into a plain text editor first to see what the clipboard holds.</source>
        <translation>Kommt nichts, fügen Sie es zuerst in einen einfachen Texteditor ein: Dort sehen Sie, was in der Zwischenablage ist.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/copy_paste.md"/>
        <source>Keep the program that you copied from open until you have pasted.</source>
        <translation>Lassen Sie das Programm, aus dem Sie kopiert haben, offen, bis Sie eingefügt haben.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/dialog_comes_back.md"/>
        <source>A message or dialog keeps coming back</source>
        <translation>Eine Meldung oder ein Dialog kommt immer wieder</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/dialog_comes_back.md"/>
        <source>Read the whole text once, the small print and the buttons as well.</source>
        <translation>Lesen Sie den ganzen Text einmal, auch das Kleingedruckte und die Knöpfe.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/dialog_comes_back.md"/>
        <source>Look for a field that is marked, empty or red: the dialog often waits for it.</source>
        <translation>Suchen Sie ein Feld, das markiert, leer oder rot ist: Oft wartet der Dialog darauf.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/dialog_comes_back.md"/>
        <source>Look on the other tabs of the dialog for a setting that contradicts yours.</source>
        <translation>Sehen Sie auf den anderen Reitern des Dialogs nach einer Einstellung, die Ihrer widerspricht.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/dialog_comes_back.md"/>
        <source>Look up what its fields mean: in the Help menu, or with the Help button of the dialog.</source>
        <translation>Schlagen Sie nach, was die Felder bedeuten: im Menü Hilfe oder mit dem Knopf Hilfe des Dialogs.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/dialog_comes_back.md"/>
        <source>Choose Cancel, change what it complains about in the document, and open it again.</source>
        <translation>Wählen Sie Abbrechen, ändern Sie im Dokument, was er bemängelt, und öffnen Sie ihn wieder.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/dialog_comes_back.md"/>
        <source>A dialog that has Close alone has applied what you changed: close it, and look at the document.</source>
        <translation>Ein Dialog, der nur Schließen hat, hat Ihre Änderungen schon übernommen: Schließen Sie ihn, und sehen Sie das Dokument an.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/dialog_comes_back.md"/>
        <source>If it only informs, look for a box such as "do not show again".</source>
        <translation>Informiert er nur, suchen Sie ein Kästchen wie „Nicht mehr anzeigen“.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/entry_refused.md"/>
        <source>An entry is refused or changes by itself</source>
        <translation>Eine Eingabe wird abgelehnt oder ändert sich von selbst</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/entry_refused.md"/>
        <source>Look for a hint next to the field: which form, how long, which characters.</source>
        <translation>Suchen Sie neben dem Feld einen Hinweis: welche Form, wie lang, welche Zeichen.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/entry_refused.md"/>
        <source>Try another form: a date as 2024-03-31, a number without spaces and with the other decimal sign.</source>
        <translation>Versuchen Sie eine andere Form: ein Datum als 2024-03-31, eine Zahl ohne Leerzeichen und mit dem anderen Dezimalzeichen.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/entry_refused.md"/>
        <source>Look whether the field or cell has a format or a rule that changes what you type.</source>
        <translation>Sehen Sie nach, ob das Feld oder die Zelle ein Format oder eine Regel hat, die Ihre Eingabe ändert.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/entry_refused.md"/>
        <source>Press Ctrl+Z or choose Edit &gt; Undo right after a change by itself: it often takes back only the correction.</source>
        <translation>Ändert sich etwas von selbst, drücken Sie gleich danach Strg+Z oder wählen Sie Bearbeiten &gt; Rückgängig: Oft wird nur die Korrektur zurückgenommen.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/entry_refused.md"/>
        <source>Paste without formatting (Ctrl+Shift+V) if you copied the value from somewhere.</source>
        <translation>Fügen Sie ohne Formatierung ein (Strg+Umschalt+V), wenn Sie den Wert von irgendwoher kopiert haben.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/error_message.md"/>
        <source>Make use of an error message</source>
        <translation>Eine Fehlermeldung nutzen</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/error_message.md"/>
        <source>Read it slowly: which thing does it name, and what does it say is wrong with it?</source>
        <translation>Lesen Sie sie langsam: Was nennt sie, und was soll daran falsch sein?</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/error_message.md"/>
        <source>Undo the last change (Edit &gt; Undo) and try again: does it come back at exactly that step?</source>
        <translation>Nehmen Sie die letzte Änderung zurück (Bearbeiten &gt; Rückgängig), und versuchen Sie es noch einmal: Kommt sie bei genau diesem Schritt wieder?</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/error_message.md"/>
        <source>Copy the text, or its code and the name of the program, without names and paths of your own.</source>
        <translation>Kopieren Sie den Text, oder seine Nummer und den Namen des Programms, ohne eigene Namen und Pfade.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/error_message.md"/>
        <source>Search for it in quotation marks together with the name of the program.</source>
        <translation>Suchen Sie danach in Anführungszeichen, zusammen mit dem Namen des Programms.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/error_message.md"/>
        <source>Try the same with a small new document: if it works there, the fault is in this document.</source>
        <translation>Versuchen Sie dasselbe mit einem kleinen neuen Dokument: Geht es dort, liegt der Fehler in diesem Dokument.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/file_not_saved.md"/>
        <source>A file cannot be saved</source>
        <translation>Eine Datei lässt sich nicht speichern</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/file_not_saved.md"/>
        <source>Read the message for the name of the folder, and whether it speaks of rights, space or another program.</source>
        <translation>Lesen Sie in der Meldung nach, welchen Ordner sie nennt, und ob sie von Rechten, Platz oder einem anderen Programm spricht.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/file_not_saved.md"/>
        <source>Save under another name (File &gt; Save As) in your own documents folder, so that nothing is lost.</source>
        <translation>Speichern Sie unter anderem Namen (Datei &gt; Speichern unter) in Ihrem eigenen Dokumentenordner, damit nichts verloren geht.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/file_not_saved.md"/>
        <source>If the file is read-only or belongs to somebody else, keep working in the copy.</source>
        <translation>Ist die Datei schreibgeschützt oder gehört sie jemand anderem, arbeiten Sie in der Kopie weiter.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/file_not_saved.md"/>
        <source>If the disk is full, empty the trash or delete what you do not need, and save again.</source>
        <translation>Ist der Datenträger voll, leeren Sie den Papierkorb oder löschen Sie, was Sie nicht brauchen, und speichern Sie noch einmal.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/file_not_saved.md"/>
        <source>If it is locked, close it in other windows and programs, then save again.</source>
        <translation>Ist sie gesperrt, schließen Sie sie in anderen Fenstern und Programmen, und speichern Sie dann noch einmal.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/find_command.md"/>
        <source>Find a command by its name</source>
        <translation>Einen Befehl über seinen Namen finden</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/find_command.md"/>
        <source>Say in one or two words what the command should do, as a program would write it on a button: "freeze", "crop", "merge".</source>
        <translation>Sagen Sie in ein, zwei Wörtern, was der Befehl tun soll, so wie ein Programm es auf einen Knopf schriebe: „fixieren“, „zuschneiden“, „verbinden“.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/find_command.md"/>
        <source>Look for a search field for commands: often in the Help menu, or opened with F1, Shift+Esc, / or Ctrl+Shift+P.</source>
        <translation>Suchen Sie ein Suchfeld für Befehle: oft im Menü Hilfe, oder zu öffnen mit F1, Umschalt+Esc, / oder Strg+Umschalt+P.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/find_command.md"/>
        <source>Right click the thing itself: the menu that opens shows what can be done with it.</source>
        <translation>Klicken Sie mit der rechten Maustaste darauf: Das Menü, das sich öffnet, zeigt, was sich damit tun lässt.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/find_command.md"/>
        <source>Rest the pointer on an icon for a second to read its name.</source>
        <translation>Lassen Sie den Zeiger eine Sekunde auf einem Symbol ruhen, um seinen Namen zu lesen.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/find_command.md"/>
        <source>If the command is not there, select the thing first: many commands appear only for what they work on.</source>
        <translation>Fehlt der Befehl, wählen Sie zuerst aus, was Sie ändern wollen: Viele Befehle erscheinen nur für das, worauf sie wirken.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/find_passage.md"/>
        <source>Find a passage in a long text</source>
        <translation>Eine Stelle in einem langen Text finden</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/find_passage.md"/>
        <source>Press Ctrl+F, or / in some viewers, and type one rare word of the passage: a name or a number is best.</source>
        <translation>Drücken Sie Strg+F, in manchen Programmen /, und tippen Sie ein seltenes Wort der Stelle: am besten einen Namen oder eine Zahl.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/find_passage.md"/>
        <source>Go from hit to hit with Enter, F3 or Ctrl+G until it is the right one.</source>
        <translation>Gehen Sie mit Eingabe, F3 oder Strg+G von Treffer zu Treffer, bis es der richtige ist.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/find_passage.md"/>
        <source>If nothing is found, try a shorter part of the word: a line break or a hyphen may be in it, and a scanned page has no words.</source>
        <translation>Wird nichts gefunden, versuchen Sie einen kürzeren Teil des Wortes: Vielleicht ist es getrennt, und eine eingescannte Seite enthält keine Wörter.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/find_passage.md"/>
        <source>Open the outline or the list of pages, often with F9 or in the View menu, and go to the chapter.</source>
        <translation>Öffnen Sie die Gliederung oder die Seitenliste, oft mit F9 oder im Menü „Ansicht“, und gehen Sie zum Kapitel.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/find_passage.md"/>
        <source>To go between two places, open the document in a second window, or set a bookmark at both.</source>
        <translation>Um zwischen zwei Stellen zu wechseln, öffnen Sie das Dokument in einem zweiten Fenster, oder setzen Sie an beiden ein Lesezeichen.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/find_replace.md"/>
        <source>Change the same thing in many places</source>
        <translation>Dasselbe an vielen Stellen ändern</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/find_replace.md"/>
        <source>Open find and replace, in most programs with Ctrl+H or Ctrl+R.</source>
        <translation>Öffnen Sie Suchen und Ersetzen, in den meisten Programmen mit Strg+H oder Strg+R.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/find_replace.md"/>
        <source>It is in the Search menu, if there is one.</source>
        <translation>Es steht im Menü Suchen, wenn es eines gibt.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/find_replace.md"/>
        <source>Else it is in the Edit menu.</source>
        <translation>Sonst steht es im Menü Bearbeiten.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/find_replace.md"/>
        <source>Type what is there now and what should be there instead; check options for upper case and whole words.</source>
        <translation>Geben Sie ein, was jetzt dasteht und was stattdessen dastehen soll; prüfen Sie die Optionen für Großschreibung und ganze Wörter.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/find_replace.md"/>
        <source>Press Find once and look whether it finds what you mean.</source>
        <translation>Drücken Sie einmal Suchen, und sehen Sie nach, ob es findet, was Sie meinen.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/find_replace.md"/>
        <source>Press Replace for one, look at the result, and only then replace all.</source>
        <translation>Drücken Sie für eine Stelle Ersetzen, sehen Sie das Ergebnis an, und ersetzen Sie erst dann alle.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/find_replace.md"/>
        <source>If nothing is found, copy the text from the document into the field: it may hold a space or character that you do not see.</source>
        <translation>Wird nichts gefunden, kopieren Sie den Text aus dem Dokument in das Feld: Vielleicht enthält er ein Leerzeichen oder Zeichen, das Sie nicht sehen.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/form_not_sent.md"/>
        <source>A form or page cannot be sent</source>
        <translation>Ein Formular oder eine Seite lässt sich nicht absenden</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/form_not_sent.md"/>
        <source>Scroll through the whole form for fields that are red, marked or have a star.</source>
        <translation>Gehen Sie das ganze Formular durch nach Feldern, die rot oder markiert sind oder einen Stern haben.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/form_not_sent.md"/>
        <source>Click into each field that was filled in by itself, change one character and change it back: the page then notices it.</source>
        <translation>Klicken Sie in jedes Feld, das von selbst ausgefüllt wurde, ändern Sie ein Zeichen und ändern Sie es zurück: Dann bemerkt die Seite es.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/form_not_sent.md"/>
        <source>Check dates, phone numbers and postcodes for the form that an example shows.</source>
        <translation>Prüfen Sie bei Datum, Telefonnummer und Postleitzahl die Form, die ein Beispiel zeigt.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/form_not_sent.md"/>
        <source>Copy what you have written somewhere safe before you reload the page.</source>
        <translation>Kopieren Sie das Geschriebene an einen sicheren Ort, bevor Sie die Seite neu laden.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/form_not_sent.md"/>
        <source>Reload, or try another browser, and fill it in again.</source>
        <translation>Laden Sie neu, oder versuchen Sie einen anderen Browser, und füllen Sie es noch einmal aus.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/greyed_out.md"/>
        <source>A control is greyed out</source>
        <translation>Ein Bedienelement ist ausgegraut</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/greyed_out.md"/>
        <source>Select what the command works on, or all with Edit &gt; Select All: a greyed control mostly says that nothing fitting is selected.</source>
        <translation>Wählen Sie aus, worauf der Befehl wirkt, oder alles mit Bearbeiten &gt; Alles auswählen: Ausgegraut heißt meist, dass nichts Passendes ausgewählt ist.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/greyed_out.md"/>
        <source>Finish what is under way: leave a cell or text with Enter, close side dialogs.</source>
        <translation>Schließen Sie ab, was gerade läuft: Verlassen Sie eine Zelle oder einen Text mit Eingabe, schließen Sie Nebendialoge.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/greyed_out.md"/>
        <source>Look whether the document is read-only or protected; its title or a bar at the top says so.</source>
        <translation>Sehen Sie nach, ob das Dokument schreibgeschützt oder gesperrt ist; sein Titel oder eine Leiste oben sagt es.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/greyed_out.md"/>
        <source>Look whether another mode is on (a tool, a view, an edit mode) in which the command does not exist.</source>
        <translation>Sehen Sie nach, ob ein anderer Modus an ist (ein Werkzeug, eine Ansicht, ein Bearbeitungsmodus), in dem es den Befehl nicht gibt.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/greyed_out.md"/>
        <source>Open the menu of the thing by a right click, and try the command there.</source>
        <translation>Klicken Sie mit der rechten Maustaste darauf, und versuchen Sie den Befehl in dem Menü, das sich öffnet.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/lost_window.md"/>
        <source>A window, panel or toolbar is gone</source>
        <translation>Ein Fenster, ein Bereich oder eine Leiste ist verschwunden</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/lost_window.md"/>
        <source>Look in the View menu or the Window menu for the panel, and switch it on.</source>
        <translation>Suchen Sie die Leiste im Menü Ansicht oder Fenster, und schalten Sie sie ein.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/lost_window.md"/>
        <source>Press F11 or Esc in case full screen or a hidden mode is on.</source>
        <translation>Drücken Sie F11 oder Esc, falls Vollbild oder ein versteckter Modus an ist.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/lost_window.md"/>
        <source>Press Alt+Tab, or look in the list of windows, for one that lies behind or on another desktop.</source>
        <translation>Drücken Sie Alt+Tab, oder suchen Sie in der Fensterliste nach einem, das dahinter oder auf einer anderen Arbeitsfläche liegt.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/lost_window.md"/>
        <source>Look at the edges of the window for a thin bar or arrow: dragging or clicking it opens a folded panel.</source>
        <translation>Suchen Sie an den Rändern des Fensters einen schmalen Balken oder Pfeil: Ziehen oder Anklicken öffnet eine eingeklappte Leiste.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/lost_window.md"/>
        <source>Look for "reset" in the View or Window menu or in the preferences, which puts all panels back.</source>
        <translation>Suchen Sie „Zurücksetzen“ im Menü Ansicht oder Fenster oder in den Einstellungen: Es stellt alle Leisten wieder her.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/not_reacting.md"/>
        <source>A window does not react</source>
        <translation>Ein Fenster reagiert nicht</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/not_reacting.md"/>
        <source>Wait half a minute without clicking: clicks are collected and all carried out later.</source>
        <translation>Warten Sie eine halbe Minute, ohne zu klicken: Klicks werden gesammelt und später alle ausgeführt.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/not_reacting.md"/>
        <source>Look for a dialog behind the window, with Alt+Tab or by moving the window aside.</source>
        <translation>Suchen Sie hinter dem Fenster nach einem Dialog, mit Alt+Tab oder indem Sie das Fenster zur Seite schieben.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/not_reacting.md"/>
        <source>Press Esc once, to end a menu, drag or tool that is under way.</source>
        <translation>Drücken Sie einmal Esc, um ein offenes Menü, ein Ziehen oder ein Werkzeug zu beenden.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/not_reacting.md"/>
        <source>Save in the other windows of the same program, if they still react.</source>
        <translation>Speichern Sie in den anderen Fenstern desselben Programms, wenn sie noch reagieren.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/not_reacting.md"/>
        <source>End the program with the system monitor only as the last step; at the next start it may offer to restore the file.</source>
        <translation>Beenden Sie das Programm erst zuletzt mit der Systemüberwachung; beim nächsten Start bietet es vielleicht an, die Datei wiederherzustellen.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/repeated_by_hand.md"/>
        <source>Do a step once for many things</source>
        <translation>Einen Schritt nur einmal für vieles machen</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/repeated_by_hand.md"/>
        <source>Do it once, and write down the exact steps.</source>
        <translation>Machen Sie es einmal, und schreiben Sie die genauen Schritte auf.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/repeated_by_hand.md"/>
        <source>Select all things at once with Ctrl+A or Edit &gt; Select All, or with Ctrl and clicks, and do the step for all of them.</source>
        <translation>Wählen Sie alles auf einmal aus, mit Strg+A, mit Bearbeiten &gt; Alles auswählen oder mit Strg und Klicks, und machen Sie den Schritt für alle.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/repeated_by_hand.md"/>
        <source>Look for repeat (often Ctrl+Y or F4), a format brush, styles, or fill.</source>
        <translation>Suchen Sie nach Wiederholen (oft Strg+Y oder F4), einem Formatpinsel, Vorlagen oder Ausfüllen.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/repeated_by_hand.md"/>
        <source>Look for find and replace, sort, filter or a batch mode if the step follows a rule.</source>
        <translation>Folgt der Schritt einer Regel, helfen Suchen und Ersetzen, Sortieren, Filtern oder Stapelverarbeitung.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/repeated_by_hand.md"/>
        <source>Try it with two or three things before you do all.</source>
        <translation>Versuchen Sie es an zwei oder drei Stellen, bevor Sie es überall machen.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/select_exactly.md"/>
        <source>Select exactly what you mean</source>
        <translation>Genau das auswählen, was Sie meinen</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/select_exactly.md"/>
        <source>Press Esc to let go of everything that is selected, or begin anew with Edit &gt; Select All.</source>
        <translation>Drücken Sie Esc, um die Auswahl ganz aufzuheben, oder beginnen Sie neu mit Bearbeiten &gt; Alles auswählen.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/select_exactly.md"/>
        <source>Click at the beginning, then hold Shift and click at the end.</source>
        <translation>Klicken Sie an den Anfang, halten Sie dann Umschalt und klicken Sie an das Ende.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/select_exactly.md"/>
        <source>Hold Ctrl and click to add or take away single parts.</source>
        <translation>Halten Sie Strg und klicken Sie, um einzelne Teile hinzuzunehmen oder wegzulassen.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/select_exactly.md"/>
        <source>For something that lies under another, press Tab to go from one to the next, or hold Alt while you click.</source>
        <translation>Liegt etwas unter anderem, gehen Sie mit Tab von einem zum nächsten, oder halten Sie Alt, während Sie klicken.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/select_exactly.md"/>
        <source>Use a list of layers, objects or headings if the program shows one: there everything can be clicked by name.</source>
        <translation>Nutzen Sie eine Liste der Ebenen, Objekte oder Überschriften, wenn das Programm eine zeigt: Dort lässt sich alles mit Namen anklicken.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/setting_elsewhere.md"/>
        <source>The setting may be somewhere else</source>
        <translation>Die Einstellung steht vielleicht woanders</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/setting_elsewhere.md"/>
        <source>Look on the other tabs of the dialog, and behind buttons such as "More" or "Advanced".</source>
        <translation>Sehen Sie auf den anderen Registerkarten des Dialogs nach und hinter Schaltflächen wie „Mehr“ oder „Erweitert“.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/setting_elsewhere.md"/>
        <source>Close it and select first what is to change: many dialogs show settings of what is selected alone.</source>
        <translation>Schließen Sie ihn und wählen Sie zuerst aus, was sich ändern soll: Viele Dialoge zeigen nur Einstellungen zur Auswahl.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/setting_elsewhere.md"/>
        <source>Right click the thing itself: Properties, or an entry of its kind, opens the dialog that belongs to it.</source>
        <translation>Klicken Sie mit der rechten Maustaste darauf: Eigenschaften oder ein ähnlicher Eintrag öffnet den zugehörigen Dialog.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/setting_elsewhere.md"/>
        <source>Tell apart what is for the document from what is for the program: the one is under File or Format, the other in Preferences or Options.</source>
        <translation>Unterscheiden Sie, was für das Dokument gilt und was für das Programm: Das eine steht unter Datei oder Format, das andere unter Einstellungen oder Optionen.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/setting_elsewhere.md"/>
        <source>Look for a search field in the dialog, or a search for commands in the Help menu.</source>
        <translation>Suchen Sie ein Suchfeld im Dialog oder eine Suche nach Befehlen im Menü Hilfe.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/undo_history.md"/>
        <source>Go back to a state that was right</source>
        <translation>Zurück zu einem Stand, der gut war</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/undo_history.md"/>
        <source>Press Ctrl+Z or choose Edit &gt; Undo once, and look at what changed before you press it again.</source>
        <translation>Drücken Sie einmal Strg+Z oder wählen Sie Bearbeiten &gt; Rückgängig, und sehen Sie nach, was sich geändert hat, bevor Sie es wiederholen.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/undo_history.md"/>
        <source>Open the list at the undo button, or an undo history if the program has one, and choose the step to go back to.</source>
        <translation>Öffnen Sie die Liste am Knopf Rückgängig, oder einen Verlauf, wenn das Programm einen hat, und wählen Sie den Schritt, zu dem es zurückgehen soll.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/undo_history.md"/>
        <source>If you went too far back, press Ctrl+Y or choose Edit &gt; Redo before you type anything: a new change ends what can be redone.</source>
        <translation>Sind Sie zu weit zurückgegangen, drücken Sie Strg+Y oder wählen Sie Bearbeiten &gt; Wiederherstellen, bevor Sie etwas eingeben: Nach einer neuen Änderung geht das nicht mehr.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/undo_history.md"/>
        <source>Save a copy under another name before the next attempt, so that there is a state to return to.</source>
        <translation>Speichern Sie vor dem nächsten Versuch eine Kopie unter anderem Namen, damit es einen Stand gibt, zu dem Sie zurückkönnen.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/wrong_place.md"/>
        <source>Text lands in the wrong place or looks wrong</source>
        <translation>Text landet an der falschen Stelle oder sieht falsch aus</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/wrong_place.md"/>
        <source>Take back what went wrong with Edit &gt; Undo, and click once where the text should go: a cursor must blink there.</source>
        <translation>Nehmen Sie mit Bearbeiten &gt; Rückgängig zurück, was schiefging, und klicken Sie einmal dorthin, wo der Text hinsoll: Dort muss ein Cursor blinken.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/wrong_place.md"/>
        <source>Show the hidden marks (spaces, line ends, breaks), if the program can: they explain most jumps.</source>
        <translation>Zeigen Sie die verborgenen Zeichen (Leerzeichen, Zeilenenden, Umbrüche) an, wenn das Programm es kann: Sie erklären die meisten Sprünge.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/wrong_place.md"/>
        <source>Select the text and clear its direct formatting, then choose the style that you want.</source>
        <translation>Wählen Sie den Text aus und entfernen Sie seine direkte Formatierung, wählen Sie dann die gewünschte Vorlage.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/wrong_place.md"/>
        <source>Paste without formatting with Ctrl+Shift+V.</source>
        <translation>Fügen Sie mit Strg+Umschalt+V ohne Formatierung ein.</translation>
    </message>
    <message>
        <location filename="../../../daemon/help/library/data/wrong_place.md"/>
        <source>Copy the format of a place that looks right with a format brush, if there is one.</source>
        <translation>Übertragen Sie das Format einer Stelle, die richtig aussieht, mit einem Formatpinsel, wenn es einen gibt.</translation>
    </message>
</context>
</TS>

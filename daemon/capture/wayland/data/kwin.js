/* Tells Kairos which windows KWin has: only the connection that loaded this is told. Names differ in Plasma 5 and 6. */
const kairos = "@KAIROS@";
const token = "@TOKEN@"; // other scripts of KWin call from the same connection, and do not know it
const MOST = 100; // this many calls without any answer: Kairos was killed, and nothing more goes on the bus
let unanswered = 0;
const later = typeof QTimer === "undefined" ? null : new QTimer();
const list = () => (workspace.windowList ? workspace.windowList() : workspace.clientList());

function isShown(window) {
    const here = window.desktops && window.desktops.length
        ? window.desktops.indexOf(workspace.currentDesktop) >= 0
        : window.onAllDesktops || window.desktop === workspace.currentDesktop || window.desktops !== undefined;
    return here && !window.minimized;
}

function describe(window) {
    const box = window.frameGeometry;
    return {
        id: String(window.internalId),
        app: String(window.resourceClass),
        instance: String(window.resourceName),
        role: String(window.windowRole || ""),
        title: String(window.caption),
        pid: window.pid,
        parent: window.transientFor ? String(window.transientFor.internalId) : "",
        popup: window.popupWindow,
        dialog: window.dialog,
        kind: window.desktopWindow ? "desktop" : window.dock ? "dock"
            : window.notification || window.criticalNotification || window.onScreenDisplay ? "notification" : "program",
        full: window.fullScreen,
        shown: isShown(window),
        box: [box.x, box.y, box.width, box.height].map(Math.round),
    };
}

function answered() {
    const hasMissed = unanswered > MOST;
    unanswered = 0;
    if (hasMissed)
        tell();
}

function tell() {
    unanswered += 1;
    if (unanswered > MOST)
        return;
    const active = workspace.activeWindow || workspace.activeClient;
    const size = workspace.workspaceSize || workspace.virtualScreenSize;
    callDBus(kairos, "/kairos", "kairos.Windows", "Tell", token, JSON.stringify({
        windows: list().map(describe),
        active: active ? String(active.internalId) : "",
        screen: [size.width, size.height],
        pointer: [workspace.cursorPos.x, workspace.cursorPos.y],
    }), answered);
}

function watch(window) {
    for (const name of ["frameGeometryChanged", "captionChanged", "minimizedChanged", "desktopChanged",
        "desktopsChanged", "fullScreenChanged"]) {
        if (window[name] && window[name].connect)
            window[name].connect(tell);
    }
}

function moved() {
    if (!later)
        tell();
    else if (!later.active)
        later.start(); // and where it is then is told: where it came to rest, at a click
}

function added(window) {
    watch(window);
    tell();
}

if (later) {
    later.singleShot = true;
    later.interval = 50;
    later.timeout.connect(tell);
}
(workspace.windowAdded || workspace.clientAdded).connect(added);
(workspace.windowRemoved || workspace.clientRemoved).connect(tell);
(workspace.windowActivated || workspace.clientActivated).connect(tell);
workspace.currentDesktopChanged.connect(tell);
workspace.cursorPosChanged.connect(moved);
list().forEach(watch);
tell();

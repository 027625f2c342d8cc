/*
 * Tells Kairos which windows there are, and nobody else. It offers nothing that a program could ask: it goes to the
 * sockets in the private folder of the session, and speaks only where the other side proves that it knows the token,
 * a file that this user alone can read. Kairos in turn takes a list only from the compositor's own process.
 */

const SETTLED_MS = 1000; // an effect may draw a window elsewhere for this long after it came, went or was minimised

class Kairos {
    constructor(folder) {
        this._token = `${folder}/token`;
    }

    enable() {
        this._clients = new Set();
        this._connected = [];
        this._watched = new Map();
        this._later = this._settling = this._changed = 0;
        this._folder = `${GLib.get_user_runtime_dir()}/kairos-windows`;
        GLib.mkdir_with_parents(this._folder, 0o700);
        const folder = Gio.File.new_for_path(this._folder);
        this._monitor = folder.monitor_directory(Gio.FileMonitorFlags.NONE, null);
        this._monitor.connect('changed', (_monitor, file, _other, event) => {
            if (event === Gio.FileMonitorEvent.CREATED)
                this._meet(file.get_path());
        });
        const found = folder.enumerate_children('standard::name', Gio.FileQueryInfoFlags.NONE, null);
        for (let info = found.next_file(null); info; info = found.next_file(null))
            this._meet(`${this._folder}/${info.get_name()}`);
        const changes = [
            [global.display, ['window-created', 'restacked', 'notify::focus-window', 'in-fullscreen-changed']],
            [global.window_manager, ['map', 'destroy', 'minimize', 'unminimize', 'switch-workspace']],
            [Main.overview, ['showing', 'shown', 'hiding', 'hidden']],
            [Main.layoutManager, ['monitors-changed']],
            [Main.messageTray, ['notify::visible']],
            [Main.sessionMode, ['updated']],
            [global.stage, ['notify::key-focus']],
        ];
        for (const [object, signals] of changes) {
            for (const signal of signals)
                this._connected.push([object, object.connect(signal, () => this._change())]);
        }
        this._connected.push([global.display, global.display.connect('window-created', (_, w) => this._watch(w))]);
        for (const actor of global.get_window_actors())
            this._watch(actor.meta_window);
    }

    disable() {
        for (const [object, id] of this._connected)
            object.disconnect(id);
        for (const [window, ids] of this._watched)
            ids.forEach(id => window.disconnect(id));
        for (const client of [...this._clients])
            this._part(client);
        if (this._settling)
            GLib.source_remove(this._settling);
        if (this._later)
            this._laters().remove(this._later);
        this._monitor.cancel();
        this._watched.clear();
    }

    _watch(window) {
        const signals = ['position-changed', 'size-changed', 'workspace-changed', 'unmanaged', 'notify::title',
            'notify::minimized', 'notify::wm-class', 'notify::gtk-application-id'];
        this._watched.set(window, signals.map(signal => window.connect(signal, () => {
            if (signal === 'unmanaged')
                this._watched.delete(window);
            this._change(signal !== 'notify::title');
        })));
    }

    // ---------------------------------------------------------------- who is told

    _meet(path) {
        new Gio.SocketClient().connect_async(Gio.UnixSocketAddress.new(path), null, (self, result) => {
            let connection;
            try {
                connection = self.connect_finish(result);
            } catch {
                return; // of a program that has ended
            }
            const input = new Gio.DataInputStream({base_stream: connection.get_input_stream()});
            const client = {connection, input, nonce: GLib.uuid_string_random(), isKnown: false};
            this._clients.add(client);
            this._send(client, {nonce: client.nonce});
            this._listen(client);
        });
    }

    _listen(client) {
        client.input.read_line_async(GLib.PRIORITY_HIGH, null, (input, result) => {
            let line = null;
            try {
                [line] = input.read_line_finish_utf8(result);
            } catch { // it went away
            }
            if (line === null || !(client.isKnown || this._isProof(client, line))) {
                this._part(client);
                return;
            }
            const [number, wish] = line.split(' ');
            this._send(client, client.isKnown ? {...this._state(), answer: Number(number)} : this._state());
            if (wish === 'repaint')
                global.stage.queue_redraw();
            client.isKnown = true;
            this._listen(client);
        });
    }

    _isProof(client, line) {
        try {
            const [, token] = GLib.file_get_contents(this._token);
            return GLib.compute_hmac_for_string(GLib.ChecksumType.SHA256, token, client.nonce, -1) === line;
        } catch { // it was taken away
            return false;
        }
    }

    _send(client, message) {
        const bytes = new TextEncoder().encode(`${JSON.stringify(message)}\n`);
        let sent = -1;
        try {
            sent = client.connection.get_socket().send_with_blocking(bytes, false, null);
        } catch { // it has not read for long
        }
        if (sent !== bytes.length)
            this._part(client);
    }

    _part(client) {
        this._clients.delete(client);
        client.connection.close_async(GLib.PRIORITY_DEFAULT, null, null);
    }

    // ---------------------------------------------------------------- what they are told

    _laters() {
        return global.compositor?.get_laters?.() ?? {
            add: (...later) => Meta.later_add(...later),
            remove: id => Meta.later_remove(id),
        };
    }

    _change(moves = true) { // once before anything is painted
        if (moves)
            this._changed = GLib.get_monotonic_time();
        if (this._clients.size === 0 || this._later)
            return;
        this._later = this._laters().add(Meta.LaterType.BEFORE_REDRAW, () => {
            this._later = 0;
            this._tell();
            return GLib.SOURCE_REMOVE;
        });
    }

    _tell() {
        const state = this._state();
        const [shown, isBusy] = [JSON.stringify(state.windows.map(w => [w.id, w.shown])), state.busy];
        if (shown !== this._shown || isBusy !== this._busy)
            this._settle();
        [this._shown, this._busy] = [shown, isBusy];
        state.effects = this._settling !== 0;
        for (const client of this._clients) {
            if (client.isKnown)
                this._send(client, state);
        }
    }

    _settle() {
        if (this._settling)
            GLib.source_remove(this._settling);
        this._settling = GLib.timeout_add(GLib.PRIORITY_DEFAULT, SETTLED_MS, () => {
            this._settling = 0;
            this._changed = GLib.get_monotonic_time();
            this._tell();
            return GLib.SOURCE_REMOVE;
        });
    }

    _state() {
        const [x, y] = global.get_pointer();
        const places = {
            windows: global.get_window_actors().map(actor => this._describe(actor)),
            monitors: Main.layoutManager.monitors.map(m => [m.x, m.y, m.width, m.height]),
            parts: this._ownParts(),
            busy: Main.actionMode !== Shell.ActionMode.NORMAL || Main.overview.visible || Main.sessionMode.isLocked ||
                Boolean(Main.magnifier?.isActive()),
        };
        const words = JSON.stringify(places, (key, value) => key === 'title' ? '' : value);
        if (words !== this._places) // not everything that moves says so
            this._changed = GLib.get_monotonic_time();
        this._places = words;
        return {
            ...places,
            active: global.display.focus_window?.get_id() ?? 0,
            locked: Main.sessionMode.isLocked,
            effects: this._settling !== 0,
            pointer: [x, y],
            changed: this._changed, // until when what is painted may not be what is listed here, in microseconds
        };
    }

    _describe(actor) {
        const window = actor.meta_window;
        const [frame, buffer] = [window.get_frame_rect(), window.get_buffer_rect()];
        const drawn = actor.get_transformed_extents(); // where it is painted now, which an effect may have moved
        return {
            id: window.get_id(),
            app: window.get_wm_class(),
            instance: window.get_wm_class_instance(),
            role: window.get_role() ?? '',
            title: window.get_title() ?? '',
            pid: window.get_pid(),
            type: window.get_window_type(),
            parent: window.get_transient_for()?.get_id() ?? 0,
            wayland: window.get_client_type() === Meta.WindowClientType.WAYLAND,
            full: window.is_fullscreen(),
            shown: actor.visible || (!window.minimized && window.showing_on_its_workspace()),
            frame: [frame.x, frame.y, frame.width, frame.height],
            buffer: [buffer.x, buffer.y, buffer.width, buffer.height],
            drawn: [drawn.origin.x, drawn.origin.y, drawn.size.width, drawn.size.height]
                .map(edge => Number.isFinite(edge) ? Math.round(edge) : 0),
        };
    }

    _ownParts() { // whatever the shell shows besides windows: the panel, messages, what an extension adds
        return Main.layoutManager.uiGroup.get_children()
            .flatMap(actor => actor === Main.messageTray ? actor.get_children() : [actor]) // it is as large as the screen
            .filter(actor => actor.mapped && actor !== global.window_group && actor.get_paint_opacity() > 0)
            .flatMap(actor => {
                const [[x, y], [width, height]] = [actor.get_transformed_position(), actor.get_transformed_size()];
                const box = [x, y, width, height].map(Math.round);
                return width > 0 && height > 0 ? [{name: actor.name ?? actor.constructor.name, box}] : [];
            });
    }
}

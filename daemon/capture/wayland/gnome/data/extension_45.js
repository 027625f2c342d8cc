/* Kairos' part in GNOME Shell 45 and later, which load modules; the rest of this file is for all versions. */
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import Meta from 'gi://Meta';
import Shell from 'gi://Shell';
import * as Main from 'resource:///org/gnome/shell/ui/main.js';

export default class {
    constructor(metadata) {
        this._kairos = new Kairos(metadata.path);
    }

    enable() {
        this._kairos.enable();
    }

    disable() {
        this._kairos.disable();
    }
}

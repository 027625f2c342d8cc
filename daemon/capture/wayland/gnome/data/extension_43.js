/* Kairos' part in GNOME Shell 43 and 44, which run scripts; the rest of this file is for all versions. */
'use strict';
const {Gio, GLib, Meta, Shell} = imports.gi;
const Main = imports.ui.main;

function init() {
    return new Kairos(imports.misc.extensionUtils.getCurrentExtension().path);
}

"""Built-in lists of the fence: password managers and prompts, browsers, titles of private windows. All in lower case.

An application is matched by class, instance or program file (`daemon.capture.fence.traits`), a title by a part of it.

The Firefox family ends the title of every private window with words of its own, and that of an ordinary one with its
product. The Chromium family (tried with Chromium 156) marks only the empty tab of a private window; with a page in it,
title, class, role and process equal those of an ordinary one. What stands before the end of a title is the page's: it
may show that a window is private, never that it is not.
"""

EXCLUDED_APPS = frozenset(
    {
        # password managers, second factors, key rings
        *("1password", "authenticator", "authpass", "bitwarden", "buttercup", "com.1password.1password"),
        *("com.belmoussaoui.authenticator", "com.bitwarden.desktop", "com.yubico.yubioath", "dashlane"),
        *("enpass", "fpm2", "goldwarden", "gopass-ui", "io.enpass.enpass", "kdewallet", "keepass", "keepass2"),
        *("keepassx", "keepassx2", "keepassxc", "keeper password manager", "keeperpasswordmanager", "keeweb"),
        *("kwalletd", "kwalletd5", "kwalletd6", "kwalletmanager", "kwalletmanager5", "kwalletmanager6", "lastpass"),
        *("me.proton.pass", "nordpass", "org.gnome.passwordsafe", "org.gnome.seahorse.application"),
        *("org.gnome.world.secrets", "org.keepassxc.keepassxc", "otpclient", "padloc", "password-gorilla"),
        *("passwordsafe", "passky", "proton pass", "proton-pass", "protonpass", "pwsafe", "qtpass", "revelation"),
        *("roboform", "seahorse", "secrets", "strongbox", "yubioath-desktop"),
        # menus through which `pass` and others are commonly used
        *("bemenu", "dmenu", "rofi", "wofi"),
        # prompts for passphrases and for more rights
        *("gcr-prompter", "gcr-viewer", "gksu", "gksudo", "gnome-keyring-prompt", "gnome-keyring-prompt-3"),
        *("gnome-ssh-askpass", "gnome-ssh-askpass2", "kdesu", "kdesudo", "ksshaskpass", "lxpolkit"),
        *("lxqt-openssh-askpass", "lxqt-policykit-agent", "lxqt-sudo", "mate-polkit", "org.kde.kdesu"),
        *("org.kde.ksshaskpass", "org.kde.polkit-kde-authentication-agent-1", "pinentry", "pinentry-efl"),
        *("pinentry-fltk", "pinentry-gnome3", "pinentry-gtk", "pinentry-gtk-2", "pinentry-qt", "pinentry-qt4"),
        *("pinentry-qt5", "pinentry-x11", "polkit-gnome-authentication-agent-1"),
        *("polkit-kde-authentication-agent-1", "polkit-mate-authentication-agent-1", "razor-policykit-agent"),
        *("soteria", "ssh-askpass", "sshaskpass", "ukui-polkit", "veracrypt", "x11-ssh-askpass", "xfce-polkit"),
        *("zulucrypt-gui", "zulumount-gui"),
        # browsers that are private altogether
        *("mullvad browser", "mullvadbrowser", "tor browser", "torbrowser", "torbrowser-launcher"),
    }
)

LOCK_SCREENS = frozenset(
    {
        *("cinnamon-screensaver", "deepin-lock", "dde-lock", "gnome-screensaver", "i3lock", "kscreenlocker"),
        *("kscreenlocker_greet", "light-locker", "lightdm-gtk-greeter", "mate-screensaver", "slock"),
        *("xfce4-screensaver", "xlock", "xscreensaver", "xsecurelock", "xtrlock"),
    }
)
"""Excluded as well; while one is visible the screen counts as locked."""

MARKED_BROWSERS = (
    "falkon",
    "firefox",
    "floorp",
    "icecat",
    "librewolf",
    "navigator",
    "palemoon",
    "seamonkey",
    "waterfox",
    "zen-browser",
)
"""Beginnings of class or instance of browsers whose titles always end in words of their own."""

UNMARKED_BROWSERS = (
    *("brave", "chrome", "chromium", "com.brave", "com.google.chrome", "com.microsoft.edge", "com.opera"),
    *("com.vivaldi", "epiphany", "google-chrome", "iridium", "konqueror", "microsoft-edge", "midori", "msedge"),
    *("net.thorium", "opera", "org.chromium", "org.gnome.epiphany", "org.kde.konqueror", "qutebrowser", "thorium"),
    *("ungoogled", "vivaldi", "yandex"),
)
"""Beginnings of class or instance of browsers whose titles do not, or of which it is not known."""

PRIVATE_TITLES = (
    *("private browsing", "private window", "private tab", "private mode", "(private", "[private"),
    *("incognito", "inkognito", "inkognitó", "incógnito", "incògnit", "инкогнито", "інкогніто", "inprivate"),
    *("privater modus", "privates fenster", "privater tab", "privates surfen", "(privat"),
    *("navigation privée", "navigation privee", "fenêtre privée", "onglet privé"),
    *("navegación privada", "ventana privada", "pestaña privada", "navegació privada"),
    *("navigazione anonima", "navigazione in incognito", "finestra privata", "finestra anonima", "scheda anonima"),
    *("navegação privativa", "navegação privada", "navegação anónima", "navegação anônima", "janela anônima"),
    *("guia anônima", "separador anónimo", "janela privativa", "janela privada"),
    *("privénavigatie", "privé-navigatie", "privévenster", "privémodus", "privétabblad"),
    *("tryb prywatny", "przeglądanie prywatne", "okno prywatne", "karta prywatna"),
    *("приватный просмотр", "приватное окно", "приватный режим", "приватний перегляд", "приватне вікно"),
    *("анонімного перегляду", "поверително сърфиране", "поверителен прозорец"),
    *("privat surfning", "privat browsing", "privat nettlesing", "privat vindu", "privat vindue", "privat fönster"),
    *("yksityinen selaus", "yksityinen ikkuna", "yksityinen välilehti"),
    *("anonymní prohlížení", "anonymní okno", "anonymní karta", "anonymní režim", "soukromé okno"),
    *("súkromné prehliadanie", "súkromné okno", "privatno brskanje", "privatno pregledavanje", "privatni prozor"),
    *("privát böngészés", "privát ablak", "gizli gezinti", "gizli pencere", "gizli sekme", "özel pencere"),
    *("ιδιωτική περιήγηση", "ανώνυμη περιήγηση", "ανώνυμης περιήγησης", "ιδιωτικό παράθυρο"),
    *("navigare privată", "fereastră privată", "duyệt web riêng tư", "ẩn danh"),
    *("プライベートブラウジング", "プライベートウィンドウ", "シークレット", "隐私浏览", "隐私窗口", "无痕"),
    *("隱私瀏覽", "隱私視窗", "無痕", "사생활 보호", "시크릿", "التصفح الخاص", "نافذة خاصة", "التصفح المتخفي"),
    *("גלישה פרטית", "גלישה בסתר", "חלון פרטי", "مرور خصوصی", "निजी ब्राउज़िंग", "गुप्त"),
)
"""Parts of the title of a private window; they count in browsers alone."""

VAULT_TITLES = ("1password", "about:logins", "bitwarden", "dashlane", "lastpass", "nordpass", "proton pass")
"""Parts of the title of a browser window that shows a password manager's page."""

PRODUCTS = frozenset(
    {
        *("ablaze floorp", "falkon", "firefox", "firefox beta", "firefox developer edition", "firefox esr"),
        *("firefox nightly", "floorp", "gnu icecat", "icecat", "librewolf", "mozilla firefox", "mozilla firefox esr"),
        *("nightly", "pale moon", "seamonkey", "waterfox", "zen browser", "zen twilight"),
    }
)
"""With one of these the title of an ordinary window of a `MARKED_BROWSERS` ends; it is in no language."""

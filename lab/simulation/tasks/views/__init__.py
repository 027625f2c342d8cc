"""Views of the applications: `qt` and `gtk` run as programs of their own, `data/page.html` in a browser.

Each shows what `GET app` describes, posts every act with the values of all controls, carries out the effects that come
back, and posts where its controls are after each change: `qt` and `gtk` in pixels of the desktop, the page in its own.
"""

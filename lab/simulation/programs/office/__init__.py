"""LibreOffice with tasks: spreadsheet, slides and text. Begin with `document`, what the three share."""

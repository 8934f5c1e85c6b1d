/** Lets the browser save a text as a file. The text stays in the browser. */
export function saveFile(name: string, type: string, text: string): void {
  // Without a byte order mark, spreadsheets take the text for another encoding. JSON must have none.
  const mark = type === 'text/csv' ? '\uFEFF' : '';
  const address = URL.createObjectURL(new Blob([mark, text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name.replaceAll(/[^\w.-]+/g, '-');
  link.click();
  URL.revokeObjectURL(address);
}

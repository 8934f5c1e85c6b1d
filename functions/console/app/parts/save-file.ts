/** Lets the browser save a text as a file. The text stays in the browser. */
export function saveFile(name: string, type: string, text: string): void {
  // A byte order mark, without which spreadsheets take the text for another encoding.
  const address = URL.createObjectURL(new Blob(['\uFEFF', text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name.replaceAll(/[^\w.-]+/g, '-');
  link.click();
  URL.revokeObjectURL(address);
}

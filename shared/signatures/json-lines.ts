/**
 * Returns the JSON texts of a file: its lines if the first of them is a JSON text of its own, and otherwise the whole file. A file of one
 * object can be printed over many lines, and then its first line is no JSON.
 */
export function jsonTexts(text: string): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const [first = ''] = lines;
  return lines.length > 1 && isJson(first) ? lines : [text];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

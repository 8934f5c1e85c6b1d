import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Reads the code blocks of the documentation. */

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The pages at the top and the pages of `docs/`, without the decision pages, which contain no instructions. */
export const DOCUMENTS = [
  'CONTRIBUTING.md',
  'README.md',
  'SECURITY.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

export interface Block {
  /** The word behind the opening fence. */
  language: string;
  text: string;
  /** Of the opening fence, from 1. */
  line: number;
}

/** The fenced blocks of a document; a block within a list is freed of its indentation. */
export function blocksOf(document: string): Block[] {
  const lines = readFileSync(join(ROOT, document), 'utf8').split('\n');
  const blocks: Block[] = [];
  let open: (Block & { indent: number; body: string[] }) | undefined;
  for (const [index, line] of lines.entries()) {
    const fence = /^( *)```(\S*)\s*$/.exec(line);
    if (open && fence && fence[2] === '') {
      const { language, body, line: first } = open;
      blocks.push({ language, line: first, text: body.join('\n') });
      open = undefined;
    } else if (open) open.body.push(line.slice(open.indent));
    else if (fence) {
      const [, indent = '', language = ''] = fence;
      open = { language, line: index + 1, text: '', indent: indent.length, body: [] };
    }
  }
  if (open) throw new Error(`${document}:${open.line}: a block without an end`);
  return blocks;
}

/** Commands of a document with the output that it shows behind them, if any. */
export interface Command {
  line: number;
  text: string;
  output: string | null;
}

/** Returns the commands of a document, in order. Readers run all of them in one shell. */
export function commandsOf(document: string): Command[] {
  const blocks = blocksOf(document);
  return blocks.flatMap(({ language, text, line }, i) => {
    if (language !== 'sh') return [];
    const next = blocks[i + 1];
    return [{ line, text, output: next?.language === 'text' ? next.text : null }];
  });
}

/** Whether an output equals the output in a document. `…` in the document matches any text within a line. */
export function isShown(shown: string, output: string): boolean {
  const escaped = shown
    .trim()
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('[^\\n]*')}$`).test(output.trim());
}

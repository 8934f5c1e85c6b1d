import { shortenText } from '#shared/base/well-formed.ts';

const MOST_CHARACTERS = 72;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the first line of a message, cut to `most` characters with the sign of the cut. */
export function firstLine(message: string, most: number): string {
  const [line = ''] = message.split('\n');
  return line.length > most ? shortenText(line, most - 1) : line;
}

/** What a list shows of a commit: its number, the first line of its message, and the author without the mail address. */
export function commitText(commit: Readonly<Record<string, unknown>> | null | undefined): {
  sha1: string;
  message: string;
  author: string;
} {
  return {
    sha1: textOf(commit?.['sha1']),
    message: firstLine(textOf(commit?.['message']), MOST_CHARACTERS),
    author: textOf(commit?.['author']).replace(/\s*<.*$/, ''),
  };
}

import { shortenText } from '#shared/base/well-formed.ts';

const MOST_CHARACTERS = 72;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What a list shows of a commit: its number, the first line of its message, and the author without the mail address. */
export function commitText(commit: Readonly<Record<string, unknown>> | null | undefined): {
  sha1: string;
  message: string;
  author: string;
} {
  const [line = ''] = textOf(commit?.['message']).split('\n');
  return {
    sha1: textOf(commit?.['sha1']),
    message: shortenText(line, MOST_CHARACTERS - 1),
    author: textOf(commit?.['author']).replace(/\s*<.*$/, ''),
  };
}

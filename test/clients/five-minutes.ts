import { readFileSync } from 'node:fs';

/** What the five minutes of the README send, and what a program that takes the same steps prints. */

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

/** Returns the text of a file that the README writes. @throws Error if it writes no such file */
function fileOf(name: string): string {
  const [, indent = '', text] =
    new RegExp(`^( *)cat > \\$tour/${name} <<'YAML'\\n([\\s\\S]+?)\\n *YAML$`, 'm').exec(README) ?? [];
  if (text === undefined) throw new Error(`The README writes no ${name}`);
  return text
    .split('\n')
    .map((line) => `${line.slice(indent.length)}\n`)
    .join('');
}

/** Returns the policy program that the README evaluates. @throws Error if there is none */
function program(): string {
  const [, text] = /"policy\.rego": ("[^\n]+?")\}\}\}/.exec(README) ?? [];
  if (text === undefined) throw new Error('The README evaluates no program');
  return String(JSON.parse(text));
}

/** What each program gets in its environment, besides `API`, `KEY` and `NAME`. */
export const sentTexts = (): Record<string, string> => ({
  TEMPLATE: fileOf('template.yml'),
  POLICY: fileOf('policy.yml'),
  PROGRAM: program(),
});

/** What each program prints. */
export const EXPECTED = [
  'flow OK',
  'evidence OK OK OK',
  'trail INCOMPLETE released false',
  'environment OK OK OK',
  'snapshot 1 false',
  'trail COMPLIANT',
  'snapshots 2 true 1 false',
  'evaluation completed true identical true',
  'moments 1 2 3 4',
  'package done',
  "refused Flow named 'none' does not exist for organization 'demo'",
];

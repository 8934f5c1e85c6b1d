import { readFileSync } from 'node:fs';

/** Returns the sections of the runbook, by their names in lower case. */
export const readSections = (): Map<string, string> =>
  new Map(
    readFileSync('docs/runbook.md', 'utf8')
      .split(/^## /m)
      .map((section) => [section.slice(0, section.indexOf('\n')).toLowerCase(), section]),
  );

/** Returns the lever of each section of the runbook, on one line, by the name of the section in lower case. */
export const readLevers = (): Map<string, string> =>
  new Map(
    [...readSections()].map(([name, section]) => {
      const lever = section.split('\n\n').find((paragraph) => paragraph.startsWith('**Lever:** '));
      return [name, lever?.replaceAll(/\s+/g, ' ') ?? ''];
    }),
  );

/** Returns the commands of a lever: everything in code that begins with a program. */
export const commandsOf = (lever: string): string[] =>
  [...lever.matchAll(/`((?:aws|npm run operator --) [^`]+)`/g)].map(([, command = '']) => command);

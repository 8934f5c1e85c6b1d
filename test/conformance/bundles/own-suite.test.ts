import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { runCommand } from './command.ts';
import { OWN_DEFAULTS, ownSuite } from './suite/suite.ts';

/** `npm run conformance:bundles` on a folder with every case that an own instance of Sigstore can make. */

const folder = mkdtempSync(join(tmpdir(), 'suite-'));
afterAll(() => rmSync(folder, { recursive: true }));

const suite = ownSuite();
writeFileSync(join(folder, 'a.txt'), OWN_DEFAULTS.artifact);
for (const { name, files } of suite) {
  mkdirSync(join(folder, name));
  for (const [file, content] of Object.entries(files)) {
    if (content === undefined) continue;
    writeFileSync(join(folder, name, file), typeof content === 'string' ? content : JSON.stringify(content));
  }
}
const args = [folder, '--identity', OWN_DEFAULTS.identity, '--issuer', OWN_DEFAULTS.issuer, '--refusals'];
const { code, stdout } = runCommand(args);
const refusals = new Map(
  stdout.flatMap((line) => {
    const [, name = '', sentence] = /^refused: (\S+): (.*)$/.exec(line) ?? [];
    return sentence === undefined ? [] : [[name, sentence] as const];
  }),
);

describe('the command for bundles on an own suite', () => {
  test('decides every case as it should be', () => {
    console.log(stdout.slice(-4).join('\n'));
    expect(stdout.filter((line) => line.startsWith('wrong: '))).toEqual([]);
    expect(code).toBe(0);
    expect(suite.filter(({ sentence }) => sentence === undefined).length).toBeGreaterThan(20);
    expect(suite.filter(({ sentence }) => sentence !== undefined).length).toBeGreaterThan(80);
  });

  test.each(suite.flatMap(({ name, sentence }) => (sentence === undefined ? [] : [[name, sentence] as const])))(
    'refuses %s with its sentence',
    (name, sentence) => {
      if (typeof sentence === 'string') expect(refusals.get(name)).toContain(sentence);
      else expect(refusals.get(name)).toMatch(sentence);
    },
  );
});

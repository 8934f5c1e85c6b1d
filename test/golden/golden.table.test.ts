import { delimiter, join } from 'node:path';
import { env } from 'node:process';
import { beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '#test/run/tool.ts';
import { differences } from './answers.ts';
import { goldenFolders, readGolden } from './golden-file.ts';
import { type AskAgain, known, loaded } from './read-again.ts';

/**
 * Loads the golden table of each release and asks every read again with the code of this checkout. `npm run golden -- read`
 * and `npm run golden -- back` name other folders, and whether newer code wrote them.
 */
const { GOLDEN_FOLDERS, GOLDEN_MADE_BY } = env;
const folders = GOLDEN_FOLDERS?.split(delimiter) ?? goldenFolders(join(ROOT, 'infra/release'));
const madeBy = GOLDEN_MADE_BY === 'newer' ? 'newer' : 'older';

it('there is a golden table', () => {
  expect(folders.length).toBeGreaterThan(0);
});

describe.each(folders)('%s', (folder) => {
  const { answers, ...stored } = readGolden(folder);
  let ask: AskAgain;
  beforeAll(async () => {
    ask = await loaded(stored);
  });

  it('gives every answer as its release gave it', async () => {
    const golden = madeBy === 'newer' ? known(answers) : answers;
    expect(differences(stored.about.release, golden, await ask(golden), madeBy)).toEqual([]);
    console.info(`Golden table ${stored.about.release}: ${golden.length} of ${answers.length} answers compared`);
  });
});

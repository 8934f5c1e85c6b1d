import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXPECTED, sentTexts } from './five-minutes.ts';
import { LANGUAGES, type Language } from './languages.ts';
import { run } from './run.ts';
import { type Service, startService } from './service.ts';

/**
 * `npm run clients:test -- [LANGUAGE …]`: generates a client of the OpenAPI document in each language, compiles it, and takes the five
 * minutes of the README with it. docs/clients.md describes it.
 */

/** Takes the five minutes with a client. @returns what is wrong; null = nothing */
async function tryLanguage(language: Language, folder: string, { api, key }: Service): Promise<string | null> {
  mkdirSync(folder);
  try {
    const command = await language.make(folder, join(folder, '..', 'openapi.json'));
    const printed = run(folder, command, { API: api, KEY: key, NAME: language.name.toLowerCase(), ...sentTexts() });
    const lines = printed.trim().split(/\r?\n/);
    const wrong = lines.findIndex((line, n) => line !== EXPECTED[n]);
    if (wrong >= 0) return `it printed «${lines[wrong]}», expected «${EXPECTED[wrong] ?? ''}»`;
    return lines.length === EXPECTED.length ? null : `it printed ${lines.length} of ${EXPECTED.length} lines`;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return error.message;
  }
}

async function main(asked: readonly string[]): Promise<number> {
  const known = LANGUAGES.map(({ name }) => name.toLowerCase());
  const unknown = asked.filter((name) => !known.includes(name.toLowerCase()));
  if (unknown.length > 0) {
    console.error(`There is no client in ${unknown.join(', ')}. Name ${known.join(', ')}, or nothing`);
    return 2;
  }
  const languages = LANGUAGES.filter(
    ({ name }) => asked.length === 0 || asked.some((one) => one.toLowerCase() === name.toLowerCase()),
  );
  const folder = mkdtempSync(join(tmpdir(), 'clients-'));
  const outcomes: ('passed' | 'failed' | 'left out')[] = [];
  try {
    const service = await startService();
    try {
      const document = await fetch(`${service.api}/openapi.json`);
      writeFileSync(join(folder, 'openapi.json'), await document.text());
      for (const language of languages) {
        const missing = language.missing();
        const wrong = missing === null ? await tryLanguage(language, join(folder, language.name), service) : null;
        const outcome = missing !== null ? 'left out' : wrong === null ? 'passed' : 'failed';
        outcomes.push(outcome);
        const why = missing !== null ? `: this machine has no ${missing}` : wrong === null ? '' : `: ${wrong}`;
        console.log(`${outcome.padEnd(8)}  ${language.name} (${language.generator})${why}`);
      }
    } finally {
      await service.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const count = (outcome: string) => outcomes.filter((one) => one === outcome).length;
  console.log(`${count('passed')} passed, ${count('left out')} left out, ${count('failed')} failed`);
  return count('failed') > 0 || count('passed') === 0 ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));

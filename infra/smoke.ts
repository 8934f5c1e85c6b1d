import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { BASE_PATH } from '#shared/base/addresses.ts';
import { packageVersion } from './bundles/package-version.ts';

/**
 * `npm run smoke -- <url> [--version V] [--wait SECONDS]`: asks a deployed service whether it is ready and which release
 * answers. It succeeds when the service is ready with the version of this checkout.
 */

const USAGE = `Usage: npm run smoke -- <url> [options]

  <url>             address of the service, as in the stack's output ApiUrl
  --version V       the version that must answer (default: that of this checkout)
  --wait SECONDS    how long to ask again, because functions are updated one after another (default: 60)`;

/** Time between two tries. */
const PAUSE_MILLIS = 2_000;
/** Longer than the gateway waits for a function. */
const REQUEST_MILLIS = 35_000;

const OPTIONS = {
  version: { type: 'string' },
  wait: { type: 'string', default: '60' },
  help: { type: 'boolean' },
} as const;

/** The service or an argument is not as it must be. The message is one sentence. */
class SmokeError extends Error {}

const Version = z.looseObject({ version: z.string(), commit: z.string(), data_format: z.int() });

/** @throws SmokeError if the service is not ready, or if another version answers */
async function check(origin: string, version: string): Promise<z.output<typeof Version>> {
  const ready = await textOf(`${origin}/ready`);
  if (ready !== 'OK')
    throw new SmokeError(`${origin}/ready answered ${JSON.stringify(ready.slice(0, 200))} instead of "OK".`);
  const address = `${origin}${BASE_PATH}/version`;
  const answer = await textOf(address);
  const parsed = Version.safeParse(jsonOf(answer));
  if (!parsed.success)
    throw new SmokeError(`${address} did not answer a version: ${JSON.stringify(answer.slice(0, 200))}.`);
  if (parsed.data.version !== version) {
    throw new SmokeError(`${address} answered version ${parsed.data.version} instead of ${version}.`);
  }
  return parsed.data;
}

async function textOf(address: string): Promise<string> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(REQUEST_MILLIS), redirect: 'error' });
    const text = await response.text();
    if (response.status === 200) return text;
    throw new SmokeError(`${address} answered ${response.status}: ${text.slice(0, 200).replaceAll(/\s+/g, ' ')}`);
  } catch (error) {
    if (error instanceof SmokeError) throw error;
    throw new SmokeError(`${address} does not answer.`, { cause: error });
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Tries until the service is as it must be, or the time is over. */
async function checkFor(waitMillis: number, origin: string, version: string): Promise<z.output<typeof Version>> {
  const end = Date.now() + waitMillis;
  for (;;) {
    try {
      return await check(origin, version);
    } catch (error) {
      if (!(error instanceof SmokeError) || Date.now() + PAUSE_MILLIS > end) throw error;
    }
    await sleep(PAUSE_MILLIS);
  }
}

function readArguments(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new SmokeError(`${error instanceof Error ? error.message : error}\n\n${USAGE}`, { cause: error });
  }
}

/** Returns scheme and authority of an address. */
function originOf(address: string): string {
  const { protocol, origin } = URL.canParse(address) ? new URL(address) : { protocol: '', origin: '' };
  if (protocol === 'https:' || protocol === 'http:') return origin;
  throw new SmokeError(`'${address}' is not the address of a service: it must begin with https:// or http://.`);
}

async function main(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args);
  const [address, ...rest] = positionals;
  if (values.help || address === undefined || rest.length > 0) {
    console.log(USAGE);
    return values.help ? 0 : 1;
  }
  const wait = Number(values.wait);
  if (!/^\d+$/.test(values.wait))
    throw new SmokeError(`--wait must be a whole number of seconds; it is '${values.wait}'.`);
  const origin = originOf(address);
  const found = await checkFor(wait * 1000, origin, values.version ?? packageVersion());
  console.log(
    `${origin} is ready: version ${found.version}, commit ${found.commit}, data format ${found.data_format}.`,
  );
  return 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof SmokeError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

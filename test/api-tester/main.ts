import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { env } from 'node:process';
import { evaluateMessages } from '#functions/evaluator/work.ts';
import { expandMessages } from '#functions/expander/expand-messages.ts';
import { notify } from '#functions/notifier/notify.ts';
import { relay } from '#functions/relay/relay.ts';
import { startStack } from '#infra/local/stack.ts';
import type { Log } from '#shared/base/log-lines.ts';
import { applySeed, Seed } from '#shared/organizations/seed.ts';

/**
 * `npm run api-test -- [options of schemathesis]`: starts a stack in memory, and runs the API tester schemathesis on
 * all operations of its OpenAPI document. docs/testing.md describes the command.
 */

const FOLDER = import.meta.dirname;
const MISSING = `schemathesis is missing. Install it, for example:
  python3 -m venv .venv && .venv/bin/pip install schemathesis && export PATH="$PWD/.venv/bin:$PATH"`;
/** Few requests per operation, so that a run takes minutes. Later options win. */
const LIMITS = ['--max-examples', '5', '--no-shrink', '--continue-on-failure', '--warnings', 'off'];

const key = `dek_${randomBytes(24).toString('hex')}`;
const seed = Seed.parse({
  organizations: [
    {
      name: 'acme',
      features: ['controls', 'evaluations'],
      members: [{ user: 'ann', role: 'admin', api_key: key }],
    },
  ],
});

/** Prints faults of the service. Requests are not printed. */
const onlyErrors: Log = (entry) => {
  if (entry.level === 'ERROR') console.error(JSON.stringify(entry));
};

async function main(): Promise<number> {
  if (spawnSync('schemathesis', ['--version']).status !== 0) {
    console.error(MISSING);
    return 1;
  }
  const stack = await startStack({
    port: 0,
    log: onlyErrors,
    seed: async (services) => {
      await applySeed(services, seed);
    },
    relay: (services) => (event) => relay(event, services),
    notifier: (services) => (event) => notify(event, services, { log: onlyErrors }),
    expander: (services) => (event) => expandMessages(event, services),
    evaluator: (services) => (event) => evaluateMessages(event, services, { log: onlyErrors }),
  });
  try {
    const document = `${stack.url}/api/v2/openapi.json`;
    const config = ['--config-file', join(FOLDER, 'schemathesis.toml')];
    const tester = spawn('schemathesis', [...config, 'run', document, ...LIMITS, ...process.argv.slice(2)], {
      env: { ...env, API_TEST_KEY: key, SCHEMATHESIS_HOOKS: join(FOLDER, 'hooks.py') },
      stdio: 'inherit',
    });
    const [code] = await once(tester, 'exit');
    return code ?? 1;
  } finally {
    await stack.stop();
  }
}

process.exit(await main());

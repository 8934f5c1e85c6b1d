import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * `npm run operator -- <command> [--field value]…`: sends one command to the operator's function of a region, or of the
 * local stack that runs on this machine.
 */

const USAGE = `Usage: npm run operator -- <command> [options]

  create-organization --name NAME [--personal] [--features controls --features evaluations]
  create-user         --name NAME
  add-member          --organization NAME --user NAME --role admin|member|snapshotter|reader
  set-feature         --organization NAME --feature controls|evaluations --enabled true|false
  issue-key           --user NAME --description TEXT [--expires-at EPOCH_SECONDS]
  replay-events       --since EPOCH_SECONDS [--organization NAME]

  --region eu|us      the deployed service of that region; without it the running local stack
  --function NAME     the deployed function's name, where it is another
  --data-dir DIR      where the local stack keeps its data (.local)`;

const ALIASES: Record<string, string> = { 'create-org': 'create-organization' };

const OPTIONS = {
  name: { type: 'string' },
  personal: { type: 'boolean' },
  features: { type: 'string', multiple: true },
  organization: { type: 'string' },
  user: { type: 'string' },
  role: { type: 'string' },
  feature: { type: 'string' },
  enabled: { type: 'string' },
  description: { type: 'string' },
  'expires-at': { type: 'string' },
  since: { type: 'string' },
  region: { type: 'string' },
  function: { type: 'string' },
  'data-dir': { type: 'string', default: '.local' },
  help: { type: 'boolean' },
} as const;

/** Options that say where a command goes; all others are its fields. */
const OWN_OPTIONS = new Set(['region', 'function', 'data-dir', 'help']);

/** What keeps a command from being sent; the message is one sentence. */
class OperatorError extends Error {}

type Values = ReturnType<typeof readArguments>['values'];

function readArguments(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new OperatorError(`${error instanceof Error ? error.message : error}\n\n${USAGE}`, { cause: error });
  }
}

/** The command as the function takes it: names in its spelling, and values that are not text as what they are. */
function commandOf(name: string, values: Values): Record<string, unknown> {
  const given = Object.entries(values).filter(([field]) => !OWN_OPTIONS.has(field));
  const entries = given.map(([field, value]) => [field.replaceAll('-', '_'), typed(field, value)]);
  return { command: ALIASES[name] ?? name, ...Object.fromEntries(entries) };
}

function typed(field: string, value: unknown): unknown {
  if (field === 'enabled' && (value === 'true' || value === 'false')) return value === 'true';
  if (field === 'expires-at' && /^\d+$/.test(String(value))) return Number(value);
  if (field === 'since' && /^\d+(\.\d+)?$/.test(String(value))) return Number(value);
  return value;
}

async function sendToLocalStack(command: unknown, dataDir: string): Promise<unknown> {
  const { operator } = readStackFile(join(dataDir, 'stack.json'));
  try {
    const response = await fetch(operator, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(command),
    });
    return await response.json();
  } catch (error) {
    throw new OperatorError(`The local stack does not answer at ${operator}. Is it running?`, { cause: error });
  }
}

function readStackFile(file: string): { operator: string } {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as { operator: string };
  } catch (error) {
    throw new OperatorError(
      `No local stack is running: ${file} cannot be read. Start one with npm start, or give --region`,
      {
        cause: error,
      },
    );
  }
}

/** Loaded only when a region is asked. The function has the name that the output `OperatorFunctionName` says. */
async function sendToRegion(command: unknown, stageName: string, functionName?: string): Promise<unknown> {
  const [{ InvokeCommand, LambdaClient }, { operatorFunctionName, readStages }] = await Promise.all([
    import('@aws-sdk/client-lambda'),
    import('./stages.ts'),
  ]);
  const stage = readStages({}).find(({ name }) => name === stageName);
  if (!stage) throw new OperatorError(`There is no region '${stageName}'; give eu or us`);
  const lambda = new LambdaClient({ region: stage.region });
  const FunctionName = functionName ?? operatorFunctionName(stage.name);
  const Payload = JSON.stringify(command);
  const { Payload: answer, FunctionError } = await lambda.send(new InvokeCommand({ FunctionName, Payload }));
  if (FunctionError || !answer) throw new OperatorError(`The function ${FunctionName} failed; its log says why`);
  return JSON.parse(Buffer.from(answer).toString('utf8'));
}

async function main(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args);
  const [name, ...rest] = positionals;
  if (values.help || name === undefined || rest.length > 0) {
    console.log(USAGE);
    return values.help ? 0 : 1;
  }
  const command = commandOf(name, values);
  const result = (await (values.region === undefined
    ? sendToLocalStack(command, values['data-dir'])
    : sendToRegion(command, values.region, values.function))) as { ok: boolean; message: string };
  const { ok, message, ...facts } = result;
  console.log(message);
  for (const [fact, value] of Object.entries(facts)) console.log(`  ${fact}: ${JSON.stringify(value)}`);
  return ok ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof OperatorError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

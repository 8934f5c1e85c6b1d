import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { DeployedFunction } from './function-settings.ts';
import { StackFile } from './local/stack-file.ts';
import { RestoreError } from './restore/restore-error.ts';
import { StageError } from './stages/stage-error.ts';

/**
 * `npm run operator -- <command> [--field value]…`: sends one command to the operator function of a stage or of the
 * local stack on this machine (rules/organizations.md#operator).
 */

const USAGE = `Usage: npm run operator -- <command> [options]

  create-organization --name NAME [--personal] [--features controls --features evaluations]
  list-organizations  [--after ID]
  create-user         --name NAME
  identify-user       --user NAME [--email ADDRESS] [--issuer URL --subject TEXT] [--end-keys]
  add-member          --organization NAME --user NAME --role admin|member|snapshotter|reader
  grant-sign-in       --organization NAME [--domain DOMAIN]… [--group GROUP]… [--shared]
  revoke-sign-in      --organization NAME [--domain DOMAIN]… [--group GROUP]…
  list-sign-in-grants --organization NAME
  set-feature         --organization NAME --feature controls|evaluations|public_log --enabled true|false
  issue-key           --user NAME --description TEXT [--expires-at EPOCH_SECONDS]
  replay-events       --since EPOCH_SECONDS [--organization NAME]
  backfill-log        --organization NAME
  recover-log         --organization NAME
  erase-body          --organization NAME --kind KIND --reason TEXT [--all-uses], and for each kind:
                        attachment               --id ATTESTATION --file NAME
                        attestation, evaluation, statement  --id ID
                        artifact                 --id REPORT
                        trail                    --flow NAME --trail NAME
                        moment                   --flow NAME --trail NAME --number N
                        flow                     --flow NAME
                        audit-entry              --id ID
  export              --organization NAME [--id EXPORT]
  maintenance         --enabled true|false
  limit-organization  --organization NAME [--requests RATE/BURST [--writes RATE/BURST]]
  suspend-organization --organization NAME --what writes|everything --reason TEXT
  resume-organization --organization NAME
  migrate             [--dry-run]
  restore             --to INSTANT, as 2026-03-01T12:00:00Z or in seconds since the epoch
  import              EXPORT --log-key KEY [--policy FILE] [--statement-key FILE]

  --stage NAME        send the command to this stage of cdk.json (default: the local stack that is running); --region is the same
  --function NAME     name of the operator function of the stage, if it is not the usual one
  --data-dir DIR      data directory of the local stack (default .local)`;

const ALIASES: Record<string, string> = { 'create-org': 'create-organization' };

const OPTIONS = {
  name: { type: 'string' },
  personal: { type: 'boolean' },
  after: { type: 'string' },
  features: { type: 'string', multiple: true },
  organization: { type: 'string' },
  user: { type: 'string' },
  email: { type: 'string' },
  issuer: { type: 'string' },
  subject: { type: 'string' },
  'end-keys': { type: 'boolean' },
  role: { type: 'string' },
  domain: { type: 'string', multiple: true },
  group: { type: 'string', multiple: true },
  shared: { type: 'boolean' },
  feature: { type: 'string' },
  enabled: { type: 'string' },
  description: { type: 'string' },
  'expires-at': { type: 'string' },
  since: { type: 'string' },
  to: { type: 'string' },
  kind: { type: 'string' },
  id: { type: 'string' },
  file: { type: 'string' },
  flow: { type: 'string' },
  trail: { type: 'string' },
  number: { type: 'string' },
  reason: { type: 'string' },
  what: { type: 'string' },
  requests: { type: 'string' },
  writes: { type: 'string' },
  'all-uses': { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  'log-key': { type: 'string' },
  policy: { type: 'string' },
  'statement-key': { type: 'string' },
  stage: { type: 'string' },
  region: { type: 'string' },
  function: { type: 'string' },
  'data-dir': { type: 'string', default: '.local' },
  help: { type: 'boolean' },
} as const;

/** Options that select the receiver of a command. All other options are fields of the command. */
const RECEIVER_OPTIONS = new Set(['stage', 'region', 'function', 'data-dir', 'help']);

/** A command could not be sent. The message is one sentence for the operator. */
class OperatorError extends Error {}

type Values = ReturnType<typeof readArguments>['values'];

function readArguments(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new OperatorError(`${error instanceof Error ? error.message : error}\n\n${USAGE}`, { cause: error });
  }
}

/** Builds the command that the function reads: field names with underscores, booleans and numbers as JSON values. */
function commandOf(name: string, values: Values): Record<string, unknown> {
  const given = Object.entries(values).filter(([field]) => !RECEIVER_OPTIONS.has(field));
  const entries = given.map(([field, value]) => [field.replaceAll('-', '_'), parseValue(field, value)]);
  return { command: ALIASES[name] ?? name, ...Object.fromEntries(entries) };
}

function parseValue(field: string, value: unknown): unknown {
  if (field === 'enabled' && (value === 'true' || value === 'false')) return value === 'true';
  if ((field === 'expires-at' || field === 'number') && /^\d+$/.test(String(value))) return Number(value);
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

function readStackFile(file: string): StackFile {
  try {
    return StackFile.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new OperatorError(
      `No local stack is running: ${file} cannot be read. Start one with npm start, or give --stage`,
      { cause: error },
    );
  }
}

/**
 * Returns the operator function of a stage, in the account of its deployment (`cdk.json`). The stack's output
 * `OperatorFunctionName` has the name, too.
 *
 * @throws StageError if there is no such stage
 */
async function operatorOfStage(stageName: string, given?: string): Promise<DeployedFunction> {
  const [{ functionOf }, { stageNamed }, { stagesOfFile }] = await Promise.all([
    import('./function-settings.ts'),
    import('./stages/stages.ts'),
    import('./stages/stages-file.ts'),
  ]);
  return functionOf(stageNamed(stagesOfFile(process.cwd()), stageName), 'operator', given);
}

/** The SDK is loaded here and not at the top of the file, because commands to the local stack do not need it. */
async function sendToStage(command: unknown, stageName: string, functionName?: string): Promise<unknown> {
  const { InvokeCommand, LambdaClient } = await import('@aws-sdk/client-lambda');
  const { region, name: FunctionName } = await operatorOfStage(stageName, functionName);
  const lambda = new LambdaClient({ region });
  const Payload = JSON.stringify(command);
  const { Payload: answer, FunctionError } = await lambda.send(new InvokeCommand({ FunctionName, Payload }));
  if (FunctionError || !answer) throw new OperatorError(`The function ${FunctionName} failed; its log says why`);
  return JSON.parse(Buffer.from(answer).toString('utf8'));
}

/** Opens what a command on this machine works with: of a stage by its operator function, or of the local stack that is running. */
async function opened<T>(
  { region, stage = region, function: name, 'data-dir': dataDir }: Values,
  ofStack: (stack: StackFile) => T,
  ofStage: (operator: DeployedFunction) => Promise<T>,
): Promise<T> {
  if (stage === undefined) return ofStack(readStackFile(join(dataDir, 'stack.json')));
  return ofStage(await operatorOfStage(stage, name));
}

/** Migrates from this machine, with rights that no function has: it reads the whole table (docs/rules/storage.md#data-format). */
async function migrate(values: Values): Promise<void> {
  const { localTable, runMigrate, tableOfStage } = await import('./migrate/command.ts');
  const table = await opened(values, localTable, tableOfStage);
  await runMigrate(table, { dryRun: values['dry-run'] ?? false }, console.log);
}

/** Imports from this machine, which has the export. It writes what no function may write, and reads the export only. */
async function importExport(path: string | undefined, values: Values): Promise<boolean> {
  const { 'log-key': logKey, policy, 'statement-key': statementKey } = values;
  if (path === undefined)
    throw new OperatorError('Name the export: its tar file, or the folder that it was unpacked to');
  if (logKey === undefined) {
    throw new OperatorError('--log-key is missing: a key from the export itself proves nothing');
  }
  const { localStores, runImport, storesOfStage } = await import('./import/command.ts');
  const open = () => opened(values, localStores, storesOfStage);
  return runImport({ path, logKey, policy, statementKey }, open, console.log);
}

/** Restores from this machine, with the rights that a deployment needs (docs/deploying.md#restore). */
async function restoreTable({ region, stage = region, to, 'data-dir': dataDir }: Values): Promise<void> {
  const { runRestore } = await import('./restore/command.ts');
  const open = async () =>
    stage === undefined
      ? (await import('./restore/local-stage.ts')).localStage(dataDir)
      : (await import('./restore/cloud-stage.ts')).cloudStage(process.cwd(), stage);
  await runRestore(to, open, console.log);
}

async function main(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args);
  const [name, ...rest] = positionals;
  if (name === 'import' && rest.length < 2 && !values.help) return (await importExport(rest[0], values)) ? 0 : 1;
  if (values.help || name === undefined || rest.length > 0) {
    console.log(USAGE);
    return values.help ? 0 : 1;
  }
  if (name === 'migrate') {
    await migrate(values);
    return 0;
  }
  if (name === 'restore') {
    await restoreTable(values);
    return 0;
  }
  const command = commandOf(name, values);
  const stage = values.stage ?? values.region;
  const result = (await (stage === undefined
    ? sendToLocalStack(command, values['data-dir'])
    : // The function answers an `OperatorResult`, and so does the local stack.
      sendToStage(command, stage, values.function))) as { ok: boolean; message: string };
  const { ok, message, ...facts } = result;
  console.log(message);
  for (const [fact, value] of Object.entries(facts)) console.log(`  ${fact}: ${JSON.stringify(value)}`);
  return ok ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof OperatorError || error instanceof StageError || error instanceof RestoreError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

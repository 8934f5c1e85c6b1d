import { createPublicKey } from 'node:crypto';
import { basename } from 'node:path';
import process, { env } from 'node:process';
import { parseArgs } from 'node:util';
import { verifyReceipt } from '#shared/log/rules/verify/receipt.ts';
import { verifyArchive } from './archive.ts';
import { Fault, UsageError } from './fault.ts';
import { verifyRemote } from './remote-log.ts';
import type { ScopeRow, Verified } from './scope.ts';
import { readGiven, readTrust } from './trust.ts';

/** The command of the verifier: its arguments, and what it prints (rules/verification.md#outcome). */

const program = basename(process.argv[1] ?? '');
const COMMAND = program === 'main.ts' ? 'npm run verify --' : `node ${program}`;

const USAGE = `Usage: ${COMMAND} WHAT --log-key KEY [--policy FILE]
       ${COMMAND} bundle --bundle FILE WHO FILE_OR_SHA256

  EXPORT             an export or a package of evidence: the tar file, or the folder that it was unpacked to
  --receipt FILE     a receipt, as text or as JSON
  --url ADDRESS      a log that is served: https://HOST/api/v2/log/ORGANIZATION

  --log-key KEY      the verifier key of the log, from a source that you trust
  --policy FILE      a policy file: witnesses that have to cosign, and further keys of the log

With EXPORT:
  --statement-key FILE   the public key of statements as PEM. Without it, statements are not verified
  --public-root FILE     a public root of Sigstore that you trust beside the one of this verifier; may be repeated

With --url:
  --since FILE       the log must begin with all entries of this checkpoint
  --keep FILE        stores the checkpoint in this file if everything is right
  --all              verifies every entry
  --token-env NAME   the environment variable with an API key

With bundle, which verifies signatures that others made, WHO should have signed is one of
  --certificate-identity SUBJECT --certificate-oidc-issuer ISSUER [--trusted-root FILE]
                         without a root, the public one of Sigstore counts
  --key FILE [--trusted-root FILE]
                         a public key as PEM. With a root, one of its logs has to prove the signature too

The exit code is 0 if everything is right, 3 if everything that is proved is right and something is not proved ('OK, except: …'),
1 for a fault, 2 if the command is called wrongly.`;

const OPTIONS = {
  receipt: { type: 'string' },
  'statement-key': { type: 'string' },
  'public-root': { type: 'string', multiple: true },
  url: { type: 'string' },
  'log-key': { type: 'string' },
  policy: { type: 'string' },
  since: { type: 'string' },
  keep: { type: 'string' },
  all: { type: 'boolean' },
  'token-env': { type: 'string' },
} as const;

function readArguments(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

type Values = ReturnType<typeof readArguments>['values'];

/** Options that have a meaning for one kind of verification only. */
const ONLY: Record<'export' | 'receipt' | 'url', readonly (keyof Values)[]> = {
  export: ['statement-key', 'public-root'],
  receipt: [],
  url: ['since', 'keep', 'all', 'token-env'],
};

function readStatementKey(file: string, bytes: Buffer): string {
  const pem = bytes.toString('utf8');
  try {
    const { asymmetricKeyType } = createPublicKey(pem);
    if (asymmetricKeyType !== 'ec')
      throw new UsageError(`${file} is a key of the type ${asymmetricKeyType}, not P-256`);
    return pem;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} is not a public key as PEM`, { cause: error });
  }
}

async function run({ values, positionals }: ReturnType<typeof readArguments>): Promise<Verified> {
  const [exported, ...more] = positionals;
  const { receipt, url, 'log-key': logKey, policy: policyFile } = values;
  if (more.length > 0 || [exported, receipt, url].filter((one) => one !== undefined).length !== 1) {
    throw new UsageError('Name one thing to verify: an export or a package, --receipt FILE or --url ADDRESS');
  }
  if (logKey === undefined) throw new UsageError('--log-key is missing: a key from the evidence itself proves nothing');
  const kind = receipt !== undefined ? 'receipt' : url !== undefined ? 'url' : 'export';
  for (const [other, names] of Object.entries(ONLY)) {
    const wrong = names.find((name) => other !== kind && values[name] !== undefined);
    if (wrong !== undefined) throw new UsageError(`--${wrong} cannot be used here`);
  }
  const policy = await readTrust(logKey, policyFile);
  if (receipt !== undefined) return { ...verifyReceipt(receipt, await readGiven(receipt), policy), scope: [] };
  if (url !== undefined) {
    if (!URL.canParse(url)) throw new UsageError(`--url is not an address: '${url}'`);
    const { since, keep, all, 'token-env': name } = values;
    return verifyRemote({ url, policy, since, keep, all, token: name === undefined ? undefined : tokenOf(name, env) });
  }
  const { 'statement-key': keyFile, 'public-root': rootFiles = [] } = values;
  const statementKey = keyFile === undefined ? undefined : readStatementKey(keyFile, await readGiven(keyFile));
  // Few calls give roots, so the libraries for signatures are loaded with the first one.
  const publicRoots = rootFiles.length === 0 ? [] : await (await import('./bundle.ts')).readPublicRoots(rootFiles);
  return verifyArchive(exported ?? '', { policy, statementKey, publicRoots });
}

function tokenOf(name: string, environment: NodeJS.ProcessEnv): string {
  const token = environment[name];
  if (!token) throw new UsageError(`The environment variable ${name} is not set`);
  return token;
}

const COLUMNS = ['lines', 'proved', 'follows', 'erased', 'later', 'not covered'] as const;

/** Prints how the lines of each kind stand (rules/verification.md#scope). */
function printScope(rows: readonly ScopeRow[]): void {
  if (rows.length === 0) return;
  const width = Math.max(...rows.map(({ name }) => name.length));
  console.log(`\n${'scope'.padEnd(width)}  ${COLUMNS.map((column) => column.padStart(13)).join('')}`);
  for (const row of rows) {
    const counts = COLUMNS.map((column) => String(row[column]).padStart(13)).join('');
    console.log(`${row.name.padEnd(width)}  ${counts}${row.note === undefined ? '' : `  ${row.note}`}`);
  }
  console.log('');
}

async function verifyWhat([what, ...more]: string[]): Promise<Verified> {
  // Only this call needs the libraries for signatures of others.
  if (what === 'bundle') return (await import('./bundle.ts')).verifyBundles(more);
  return run(readArguments(what === undefined ? more : [what, ...more]));
}

/** Runs the command and prints what it finds. @returns the exit code */
export async function runCommand(args: string[]): Promise<number> {
  const start = performance.now();
  if (args.includes('--help')) {
    console.log(USAGE);
    return 0;
  }
  try {
    const { counts, scope, exceptions } = await verifyWhat(args);
    const seconds = (performance.now() - start) / 1000;
    const lines = Object.entries({ ...counts, seconds: seconds.toFixed(1) });
    const width = Math.max(...lines.map(([label]) => label.length));
    for (const [label, value] of lines) console.log(`${label.padEnd(width)}  ${value}`);
    printScope(scope);
    console.log(exceptions.length === 0 ? 'OK' : `OK, except: ${exceptions.join('; ')}`);
    return exceptions.length === 0 ? 0 : 3;
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(`${error.message}\n\n${USAGE}`);
      return 2;
    }
    if (!(error instanceof Fault)) throw error;
    console.error(`FAULT ${error.place}: ${error.message}`);
    return 1;
  }
}

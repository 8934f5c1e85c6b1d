import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import { freePort } from '#infra/local/ports.ts';
import { KEY, ORG, seedWithKey } from '#test/story/stack-api.ts';
import { anArtifact } from '#test/support/evidence.ts';
import { nodeStart, type StackProcess, temporaryDir } from '#test/support/stack-process.ts';

/** An erasure is refused for a minute after a text was stored, and the machine can be busy. */
const PATIENCE = { timeout: 240_000, interval: 2_000 };
/** Time for the relay and the integrator to finish their work, in milliseconds. */
const QUIET_MILLIS = 6_000;
/** DynamoDB Local and the emulator of the bucket. */
const DATABASES = ['dynamodb/shared-local-instance.db', 'objects/fauxqs.db'];

const run = promisify(execFile);
/** Runs a command of the project. @throws Error with what it printed */
const node = (args: readonly string[]): Promise<string> =>
  run(process.execPath, args).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }) => Promise.reject(new Error(`${stdout}${stderr}`)),
  );

/** Starts the stack of a data directory. */
async function started(dataDir: string, seed: string): Promise<{ stack: StackProcess; api: string }> {
  const port = await freePort();
  const stack = await nodeStart(dataDir, '--port', `${port}`, '--seed', seed);
  await stack.ready();
  return { stack, api: `http://localhost:${port}/api/v2` };
}

async function stopped(stack: StackProcess): Promise<void> {
  stack.signalFirst('SIGTERM');
  await stack.exit();
}

/** @returns the id of what was made */
async function send(api: string, method: string, path: string, body: FormData | object): Promise<string> {
  const isForm = body instanceof FormData;
  const answer = await fetch(api + path, {
    method,
    headers: {
      authorization: `Bearer ${KEY}`,
      'idempotency-key': randomBytes(8).toString('hex'),
      ...(!isForm && { 'content-type': 'application/json' }),
    },
    body: isForm ? body : JSON.stringify(body),
  });
  const text = await answer.text();
  expect([200, 201, 202], `${path}: ${text}`).toContain(answer.status);
  return answer.headers.get('x-resource-id') ?? text;
}

const documentOf = (document: object, file?: string): FormData => {
  const body = new FormData();
  body.append('data_json', JSON.stringify(document));
  if (file !== undefined) body.append('attachment_file', new Blob([file]), 'attached.txt');
  return body;
};

async function upload(api: string, content: string): Promise<string> {
  const bytes = Buffer.from(content);
  const answer = await fetch(`${api}/attachments/${ORG}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      filename: 'uploaded.txt',
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      content_type: 'text/plain',
    }),
  });
  const made = (await answer.json()) as { attachment_id: string; upload: { url: string; fields: object } };
  const form = new FormData();
  for (const [name, value] of Object.entries(made.upload.fields)) form.append(name, String(value));
  form.append('file', new Blob([bytes]));
  expect((await fetch(made.upload.url, { method: 'POST', body: form })).ok).toBe(true);
  return made.attachment_id;
}

/** Sends a secret in every way that `erase-body` can erase without its own kind of record. @returns what to erase */
async function plant(api: string, secret: string): Promise<string[][]> {
  const action = { name: 'team', type: 'flow', flows: ['web'], triggers: ['ON_ATTESTED_PROVENANCE'] };
  await send(api, 'PUT', `/flows/${ORG}`, { name: 'web', description: secret });
  await send(api, 'PUT', `/actions/${ORG}/flows`, { ...action, targets: [{ type: 'EMAIL', emails: ['a@b.example'] }] });
  await send(api, 'PUT', `/trails/${ORG}/web`, documentOf({ name: 'run', description: secret }));
  const artifact = await send(api, 'POST', `/artifacts/${ORG}/web`, {
    ...anArtifact('cli', { filename: `file-${secret}` }),
  });
  const attest = (document: object, file?: string) =>
    send(
      api,
      'POST',
      `/attestations/${ORG}/web/trail/run/generic`,
      documentOf({ is_compliant: true, ...document }, file),
    );
  const lines = Array.from({ length: 2_000 }, () => `${secret} ${randomBytes(16).toString('hex')}`);
  const small = await attest({ attestation_name: 'small', user_data: { secret } }, `attached ${secret}`);
  const large = await attest({ attestation_name: 'large', user_data: { lines } });
  const attachment = await upload(api, `uploaded ${secret}`);
  const uploaded = await attest({ attestation_name: 'uploaded', attachments: [attachment] });
  return [
    ['flow', '--flow', 'web'],
    ['trail', '--flow', 'web', '--trail', 'run'],
    ['artifact', '--id', artifact],
    ['attestation', '--id', small],
    ['attachment', '--id', small, '--file', 'attached.txt'],
    ['attestation', '--id', large],
    ['attachment', '--id', uploaded, '--file', 'uploaded.txt'],
  ];
}

/** The forms in which a database keeps the bytes: as they are, and as base64 at each place of a group of three bytes. */
const formsOf = (bytes: Buffer): Buffer[] => [
  bytes,
  ...[0, 1, 2].map((skipped) => {
    const whole = Math.floor((bytes.length - skipped) / 3) * 3;
    return Buffer.from(bytes.subarray(skipped, skipped + whole).toString('base64'));
  }),
];

/** The packed bytes of texts that lie in the bucket. They show nothing of the text to a search. */
function packedTexts(dataDir: string): Buffer[] {
  const database = new DatabaseSync(join(dataDir, 'objects/fauxqs.db'), { readOnly: true });
  try {
    const rows = database.prepare(`SELECT body FROM s3_objects WHERE key LIKE 'bodies/%'`).all();
    return rows.map(({ body }) => Buffer.from(body as Uint8Array).subarray(64, 128));
  } finally {
    database.close();
  }
}

/** Names every place of a data directory that has one of the forms: rows of database files, and files. */
function placesOf(dataDir: string, forms: readonly Buffer[]): string[] {
  const has = (bytes: Uint8Array) => forms.some((form) => Buffer.from(bytes).includes(form));
  const places = new Set<string>();
  const explained = new Set<string>();
  for (const file of DATABASES) {
    // Opened as a copy, because opening a database can change its files.
    const copy = join(temporaryDir(), 'copy.db');
    for (const suffix of ['', '-wal', '-journal']) {
      if (existsSync(join(dataDir, file + suffix))) copyFileSync(join(dataDir, file + suffix), copy + suffix);
    }
    const database = new DatabaseSync(copy);
    for (const { name } of database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all()) {
      for (const row of database.prepare(`SELECT * FROM "${name}"`).all()) {
        const cells = Object.values(row).map((cell) => (cell instanceof Uint8Array ? cell : Buffer.from(`${cell}`)));
        if (!cells.some(has)) continue;
        places.add(name === 's3_objects' ? `objects ${String(row['key']).split('/')[0]}` : `rows ${name}`);
        explained.add(file);
      }
    }
    database.close();
  }
  for (const entry of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !has(readFileSync(path))) continue;
    const file = relative(dataDir, path);
    const database = DATABASES.find((one) => file.startsWith(one));
    if (database === undefined) places.add(`files ${file.split('/')[0]}`);
    else if (!explained.has(database)) places.add('free pages');
  }
  return [...places].sort();
}

/** Compacts the directory of a stopped stack. If the stack was stopped before all its records were delivered, does as the command says. */
async function compact(dataDir: string, seed: string): Promise<void> {
  await vi.waitFor(async () => {
    const outcome = await node(['infra/compact-local.ts', '--data-dir', dataDir]).catch((error: Error) => error);
    if (!(outcome instanceof Error)) return;
    expect(outcome.message).toContain('Start the stack, stop it after some seconds, and repeat the command');
    const { stack } = await started(dataDir, seed);
    await setTimeout(QUIET_MILLIS);
    await stopped(stack);
    throw outcome;
  }, PATIENCE);
}

/** The places of the page local-stack.md#leave-nothing, and how the search names them. */
const PLACES: Readonly<Record<string, string>> = {
  'rows us': 'records of the stream of the database',
  'objects uploads': 'objects below `uploads/`',
  'files history': 'files below `history/`',
  'files mail': 'files below `mail/`',
  'free pages': 'free pages and journals of the database files',
};

it('an erasure leaves the places that are documented, and compact-local leaves none', {
  timeout: 600_000,
}, async () => {
  const page = readFileSync('docs/local-stack.md', 'utf8').split('## Leave nothing')[1]?.split('\n## ')[0] ?? '';
  const documented = [...page.matchAll(/^\| ([^|]+) \|/gm)].map(([, cell = '']) => cell).slice(1);
  expect(documented.sort()).toEqual(Object.values(PLACES).sort());

  const [dataDir, seed] = [temporaryDir(), seedWithKey()];
  const secret = `planted-${randomBytes(24).toString('hex')}`;
  const first = await started(dataDir, seed);
  const erasures = await plant(first.api, secret);
  await vi.waitFor(() => expect(readdirSync(join(dataDir, 'mail'))).not.toEqual([]), PATIENCE);
  const forms = [Buffer.from(secret), ...packedTexts(dataDir)].flatMap(formsOf);
  expect(placesOf(dataDir, forms)).toEqual(
    expect.arrayContaining(['objects bodies', 'objects evidence', 'rows evidence']),
  );
  for (const [kind = '', ...fields] of erasures) {
    const reason = ['--reason', 'a secret', '--all-uses', '--data-dir', dataDir];
    const command = ['infra/operator.ts', 'erase-body', '--organization', ORG, '--kind', kind, ...fields, ...reason];
    await vi.waitFor(() => node(command), PATIENCE);
  }
  await stopped(first.stack);
  const left = placesOf(dataDir, forms);
  expect(left.filter((place) => place !== 'free pages')).toEqual([
    'files history',
    'files mail',
    'objects uploads',
    'rows us',
  ]);

  await compact(dataDir, seed);
  expect(placesOf(dataDir, forms)).toEqual([]);

  const second = await started(dataDir, seed);
  const refused = run(process.execPath, ['infra/compact-local.ts', '--data-dir', dataDir]);
  await expect(refused).rejects.toMatchObject({ stderr: expect.stringContaining('Another local stack uses') });
  // The relay still gets the records of the stream: without it no mail is sent.
  await send(second.api, 'POST', `/artifacts/${ORG}/web`, anArtifact('later'));
  await vi.waitFor(() => expect(readdirSync(join(dataDir, 'mail'))).not.toEqual([]), PATIENCE);
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { loadKeys } from '#infra/local/keys/key-files.ts';
import { freePort } from '#infra/local/ports.ts';
import { LOCAL } from '#infra/local/settings.ts';
import { originDigest } from '#shared/log/records/witnessed.ts';
import { witnessName } from '#shared/log/rules/witness.ts';
import { localKey } from '#shared/tlog/ed25519.ts';
import { formatVerifierKey, verifierKey } from '#shared/tlog/keys.ts';
import { type OpenedCheckpoint, openCheckpoint, parsePolicy } from '#shared/tlog/policy.ts';
import { consistencyProof, type ReadTile } from '#shared/tlog/proofs.ts';
import { decodeTile, tilePath } from '#shared/tlog/tiles.ts';
import { formatAddCheckpoint } from '#shared/tlog/witness-request.ts';
import { readBag } from '#test/support/log/read-tar.ts';
import { nodeStart, temporaryDir } from '#test/support/stack-process.ts';
import { verifyArchive } from '#verify/archive.ts';
import { KEY, ORG, seedWithKey } from './stack-api.ts';

/** A witness that does not answer in time is asked again after a minute, and on a busy machine it can happen twice. */
const PATIENCE_MILLIS = 200_000;
const TIMEOUT = { timeout: PATIENCE_MILLIS, interval: 500 };

/** A stack before its start: its keys and its port are known, so that the other stack can name it. */
async function plannedStack() {
  const dataDir = temporaryDir();
  const port = await freePort();
  const keys = loadKeys(join(dataDir, 'keys'));
  const witness = verifierKey(witnessName(LOCAL.logDomain), 'cosignature', localKey(keys.witness).publicKey);
  const log = verifierKey(LOCAL.logDomain, 'ed25519', localKey(keys.log).publicKey);
  const api = `http://localhost:${port}/api/v2`;
  return { dataDir, port, api, witness: formatVerifierKey(witness), log: formatVerifierKey(log) };
}
type Planned = Awaited<ReturnType<typeof plannedStack>>;

/** Starts a stack whose logs all of its peers have to cosign, and that cosigns the logs of its peers. */
async function start({ dataDir, port }: Planned, ...peers: Planned[]): Promise<void> {
  const policy = join(dataDir, 'policy.txt');
  const lines = peers.map(({ witness, api }, i) => `witness peer${i} ${witness} ${api}/witness\n`);
  writeFileSync(
    policy,
    `${lines.join('')}group every all ${peers.map((_, i) => `peer${i}`).join(' ')}\nquorum every\n`,
  );
  const logs = peers.flatMap(({ log }) => ['--witness-log', log]);
  const flags = ['--witness-policy', policy, ...logs, '--allow-local-targets'];
  const stack = await nodeStart(dataDir, '--port', `${port}`, '--seed', seedWithKey(), ...flags);
  await stack.ready();
}

const get = (api: string, path: string) =>
  fetch(`${api}/log/${ORG}${path}`, { headers: { authorization: `Bearer ${KEY}` } });

async function attest(api: string, name: string): Promise<void> {
  const body = new FormData();
  body.append('data_json', JSON.stringify({ attestation_name: name, is_compliant: true }));
  const headers = { authorization: `Bearer ${KEY}` };
  const address = `${api}/attestations/${ORG}/web/trail/run/generic`;
  const { status } = await fetch(address, { method: 'POST', headers, body });
  if (status !== 201) throw new Error(`${name}: ${status}`);
}

/**
 * Returns the checkpoint of a stack that its peer cosigned last. The published one may be larger, because the peer is
 * asked once a minute.
 *
 * @throws TlogError if it does not meet the policy that the stack shows
 */
async function cosignedCheckpoint(api: string, peer: string): Promise<{ note: string; opened: OpenedCheckpoint }> {
  const { policy, origin } = (await (await get(api, '')).json()) as { policy: string; origin: string };
  const answer = await fetch(`${peer}/witness/${originDigest(origin)}/checkpoint`);
  const note = await answer.text();
  return { note, opened: openCheckpoint(note, parsePolicy(policy)) };
}

const readTileOf =
  (api: string): ReadTile =>
  async (tile) => {
    const answer = await get(api, `/tile/${tilePath(tile)}`);
    return decodeTile(Buffer.from(await answer.arrayBuffer()), tile.width);
  };

async function add(peer: Planned, request: Parameters<typeof formatAddCheckpoint>[0]) {
  const body = formatAddCheckpoint(request);
  const answer = await fetch(`${peer.api}/witness/add-checkpoint`, { method: 'POST', body });
  return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
}

it(
  'two stacks cosign the logs of each other, and neither cosigns an older state again',
  async () => {
    const [eu, us] = [await plannedStack(), await plannedStack()];
    await Promise.all([start(eu, us), start(us, eu)]);
    await Promise.all([eu, us].map(({ api }) => attest(api, 'first')));
    const cosigned = (one: Planned, by: Planned) => vi.waitFor(() => cosignedCheckpoint(one.api, by.api), TIMEOUT);
    const [other, older] = [await cosigned(us, eu), await cosigned(eu, us)];
    expect([older.opened.signatures.length, other.opened.signatures.length]).toEqual([2, 2]);

    const oldSize = older.opened.size;
    await attest(eu.api, 'second');
    const newest = async () => (await get(eu.api, '/checkpoint')).text();
    const sizeOf = (note: string) => Number(note.split('\n')[1]);
    await expect.poll(async () => sizeOf(await newest()), TIMEOUT).toBeGreaterThan(oldSize);
    const note = await newest();
    const size = sizeOf(note);
    const proof = await consistencyProof(oldSize, { size, readTile: readTileOf(eu.api) });
    expect((await add(us, { oldSize, proof, note })).status).toBe(200);
    expect(await add(us, { oldSize, proof: [], note: older.note })).toEqual({
      status: 409,
      type: 'text/x.tlog.size',
      text: `${size}\n`,
    });
    // A stack knows the logs of the other one, and not its own.
    expect((await add(eu, { oldSize: 0, proof: [], note })).status).toBe(403);
  },
  2 * PATIENCE_MILLIS,
);

it(
  'an export under a policy of two witnesses waits for both and is verified with the policy in its own archive',
  async () => {
    const [main, one, other] = [await plannedStack(), await plannedStack(), await plannedStack()];
    await Promise.all([start(main, one, other), start(one, main), start(other, main)]);
    await attest(main.api, 'first');
    const headers = { authorization: `Bearer ${KEY}` };
    const started = await fetch(`${main.api}/exports/${ORG}`, { method: 'POST', headers });
    const { id, waits_for: waits } = (await started.json()) as { id: string; waits_for: object | null };
    expect(waits).not.toBeNull();
    const shown = async () =>
      (await (await fetch(`${main.api}/exports/${ORG}/${id}`, { headers })).json()) as {
        state: string;
        download_url: string;
        log: { witnesses: string[]; covers_start: boolean };
      };
    await expect.poll(async () => (await shown()).state, TIMEOUT).toBe('done');
    const { log, download_url: address } = await shown();
    expect(log).toMatchObject({ covers_start: true, witnesses: [expect.any(String), expect.any(String)] });
    const file = join(main.dataDir, 'export.tar');
    writeFileSync(file, Buffer.from(await (await fetch(address)).arrayBuffer()));
    const { files } = await readBag(readFileSync(file));
    const policy = parsePolicy(files.get('data/keys/policy') ?? '');
    expect((await verifyArchive(file, { policy })).counts).toMatchObject({ witnesses: 2 });
  },
  2 * PATIENCE_MILLIS,
);

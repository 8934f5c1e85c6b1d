import { execFile } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, describe, expect, it } from 'vitest';
import { groups } from '#functions/groups.ts';
import { runOperator } from '#functions/operator/run-operator.ts';
import type { Item } from '#shared/table/table.ts';
import { formatVerifierKey, verifierKey } from '#shared/tlog/keys.ts';
import { policyOf } from '#shared/tlog/policy.ts';
import { testApi } from '#test/support/api.ts';
import { type EnvironmentsOfOrganization, environmentsOfOrganization, onServer } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { exporterOf, logEverything } from '#test/support/log/exports.ts';
import { itemsOf } from '#test/support/relay.ts';
import { verifyArchive } from '#verify/archive.ts';

const api = await testApi(groups.filter(({ name }) => name !== 'meta' && name !== 'reference'));
const { table, keys } = api.services;
const exporter = exporterOf(api.services);
const MINUTE = 60_000_000;
const dir = mkdtempSync(join(tmpdir(), 'cheating-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** An organization with a trail of three moments and a snapshot, all of them logged. */
async function loggedOrganization(): Promise<EnvironmentsOfOrganization> {
  const acme = await environmentsOfOrganization(api);
  await acme.putFlow('web', 'version: 1\ntrail:\n  attestations:\n    - name: review\n      type: generic\n');
  await acme.begin({ name: 'run', description: 'first' });
  await acme.report(anArtifact('cli'));
  await acme.attest('generic', { attestation_name: 'review', is_compliant: false });
  await acme.putEnvironment('prod');
  await acme.run('prod', onServer({ api: 'cli' }));
  await logEverything(api.services, acme.id);
  return acme;
}

/** Exports an organization. @returns the archive and the key of the log */
async function newExport(acme: EnvironmentsOfOrganization) {
  const { id } = (await acme.call('POST', `/exports/${acme.org}`)).json as { id: string };
  await exporter.run({ org: acme.id, id });
  const made = (await acme.get(`/exports/${acme.org}/${id}`)).json as { download_url: string; log: { origin: string } };
  const file = join(dir, `${id}.tar`);
  writeFileSync(file, new Uint8Array(await (await fetch(made.download_url)).arrayBuffer()));
  return { file, key: verifierKey(made.log.origin, 'ed25519', (await keys.log()).publicKey) };
}

/** Exports an organization and verifies the archive with the key of the log. */
async function verifyNewExport(acme: EnvironmentsOfOrganization) {
  const { file, key } = await newExport(acme);
  return (await verifyArchive(file, { policy: policyOf(key) })).counts;
}

/** Runs the command of the verifier. */
const verifyCommand = (args: readonly string[]): Promise<{ code: number; output: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, ['verify/main.ts', ...args], (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    );
  });

const itemsWith = async (acme: EnvironmentsOfOrganization, family: string): Promise<Item[]> =>
  (await itemsOf(table.name, acme.id)).filter(({ pk }) => pk.includes(`#${family}#`));

/** The moments of the trail in their order. */
async function momentsOf(acme: EnvironmentsOfOrganization): Promise<[Item, Item, Item]> {
  const [first, second, third] = await itemsWith(acme, 'MOMENT');
  if (!first || !second || !third) throw new Error('The trail does not have three moments');
  return [first, second, third];
}

describe('npm run verify', () => {
  it('accepts an export with statements and erased texts, and refuses each changed one by the name of the file', async () => {
    const acme = await loggedOrganization();
    const statement = async (path: string) => {
      const { status, headers, text } = await acme.get(path);
      expect(status, text).toBe(200);
      return String(headers['x-statement-id']);
    };
    const kept = await statement(`/trails/${acme.org}/web/run/statement`);
    const id = await statement(`/snapshots/${acme.org}/prod/1/statement`);
    await logEverything(api.services, acme.id);
    const common = { command: 'erase-body', organization: acme.org, reason: 'a name' } as const;
    const [, , { record }] = await momentsOf(acme);
    api.services.clock.advance(2 * MINUTE);
    for (const erased of [
      { kind: 'statement', id },
      { kind: 'attestation', id: record },
    ]) {
      expect(await runOperator(api.services, { ...common, ...erased })).toMatchObject({ ok: true });
    }
    await logEverything(api.services, acme.id);
    const late = await statement(`/artifacts/${acme.org}/web/fingerprint/${fingerprintOf('cli')}/statement`);
    const { file, key } = await newExport(acme);
    const pem = join(dir, 'statements.pem');
    const spki = { key: (await keys.statement()).publicKey, format: 'der', type: 'spki' } as const;
    writeFileSync(pem, createPublicKey(spki).export({ format: 'pem', type: 'spki' }));
    const options = ['--log-key', formatVerifierKey(key), '--statement-key', pem];
    const right = await verifyCommand([file, ...options]);
    expect(right.output).toMatch(/^statements +2\n(.+\n)*statements verified +1\n[\s\S]*OK, except: .+\n$/m);
    expect(right.code).toBe(3);
    const tar = readFileSync(file);
    const bundles = [kept, id, late].map((one) => tar.includes(`data/statements/${one}.sigstore.json`));
    expect(bundles).toEqual([true, false, false]);
    tar.writeUInt8(tar.readUInt8(tar.indexOf('"logIndex":"')) ^ 1, tar.indexOf('"logIndex":"'));
    writeFileSync(file, tar);
    const wrong = await verifyCommand([file, ...options]);
    expect(wrong.output).toMatch(new RegExp(`^FAULT data/statements/${kept}\\.sigstore\\.json: `));
    expect(wrong.code).toBe(1);
  });
});

describe('an export', () => {
  it('an export of what was logged is verified', async () => {
    const acme = await loggedOrganization();
    expect(await verifyNewExport(acme)).toMatchObject({
      moments: 3,
      snapshots: 1,
      'verdicts of trails': '1 NON-COMPLIANT',
    });
  });

  it.each<[string, (acme: EnvironmentsOfOrganization) => Promise<unknown>, RegExp]>([
    [
      'a moment was changed',
      async (acme) => {
        const [, , third] = await momentsOf(acme);
        await table.put({ ...third, body: String(third['body']).replace('"compliant":false', '"compliant":true') });
      },
      /moment 3 of trail run of flow web is not as it was logged/,
    ],
    [
      'the time of a moment was changed',
      async (acme) => {
        const [first] = await momentsOf(acme);
        await table.put({ ...first, at: Number(first['at']) - 1 });
      },
      /moment 1 of trail .+ is not as it was logged/,
    ],
    [
      'a moment was deleted',
      async (acme) => {
        const [, { pk, sk }] = await momentsOf(acme);
        await table.transact([{ remove: { pk, sk } }]);
      },
      /moment 3 of trail .+ comes after moment 1/,
    ],
    [
      'two moments were swapped',
      async (acme) => {
        const [first, second] = await momentsOf(acme);
        await table.put({ ...first, sk: second.sk });
        await table.put({ ...second, sk: first.sk });
      },
      /is not as it was logged|does not name the hash of moment 0/,
    ],
    [
      'the verdict of an attestation was changed',
      async (acme) => {
        const [record] = await itemsWith(acme, 'ATTESTATION');
        if (!record) throw new Error('There is no attestation');
        await table.put({ ...record, compliant: true });
      },
      /the text is not the one under the commitment 'record'/,
    ],
  ])('an export in which %s in the database is refused', async (_, cheat, fault) => {
    const acme = await loggedOrganization();
    await cheat(acme);
    await expect(verifyNewExport(acme)).rejects.toThrow(fault);
  });
});

import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { groups } from '#functions/groups.ts';
import { localKey, privateKeyOf } from '#shared/tlog/ed25519.ts';
import { witnessSigner } from '#shared/tlog/signer.ts';
import { testApi } from '#test/support/api.ts';
import type { EnvironmentsOfOrganization } from '#test/support/environments.ts';
import { exporterOf } from '#test/support/log/exports.ts';
import { readBag } from '#test/support/log/read-tar.ts';

/** Exports an organization, and reads the archive. */

export const api = await testApi(groups.filter(({ name }) => name !== 'meta' && name !== 'reference'));
const us = witnessSigner('us.witness.example', localKey(privateKeyOf(new Uint8Array(32))), () => 1);
const witness = { policy: `witness us ${us.verifierKey} https://us.example/witness\nquorum us\n` };
export const exporter = exporterOf(api.services, { witness }, [us]);

interface ShownExport {
  id: string;
  state: string;
  sha256: string;
  download_url: string;
  log: { size: number; root: string } | null;
  progress: { steps: number; files: number; bytes: number };
}

export const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

export async function start(acme: EnvironmentsOfOrganization): Promise<ShownExport> {
  const answer = await acme.call('POST', `/exports/${acme.org}`);
  expect(answer.status, answer.text).toBe(202);
  return answer.json as ShownExport;
}

export const shown = async (acme: EnvironmentsOfOrganization, id: string) =>
  (await acme.get(`/exports/${acme.org}/${id}`)).json as ShownExport;

/** Exports an organization. @param times readings of the clock of each call */
export async function exported(acme: EnvironmentsOfOrganization, times?: readonly number[]) {
  const { id } = await start(acme);
  const calls = await exporter.run({ org: acme.id, id }, times);
  const done = await shown(acme, id);
  const tar = Buffer.from(await (await fetch(done.download_url)).arrayBuffer());
  return { calls, done, tar, ...(await readBag(tar)) };
}

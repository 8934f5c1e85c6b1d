import { createHash } from 'node:crypto';
import { inject } from 'vitest';
import { describe, expect, it } from 'vitest';
import { exportMessages } from '#functions/exporter/work.ts';
import { exportsGroup } from '#functions/exports/endpoints.ts';
import { actionsGroup } from '#functions/actions/endpoints.ts';
import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { environmentsGroup } from '#functions/environments/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { serviceAccountsGroup } from '#functions/service-accounts/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import { localExportFiles } from '#infra/local/clients.ts';
import type { ExporterServices } from '#shared/exports/services.ts';
import { commitment } from '#shared/base/digests.ts';
import { testApi } from '#test/support/api.ts';
import { anArtifact, newOrganization } from '#test/support/evidence.ts';
import { queueEvent } from '#test/support/queue.ts';
import { readBag, recordsOf } from '#test/support/read-tar.ts';
import { onlyLocal } from '#test/support/table.ts';

const api = await testApi([
  exportsGroup,
  actionsGroup,
  artifactsGroup,
  attestationsGroup,
  environmentsGroup,
  flowsGroup,
  serviceAccountsGroup,
  trailsGroup,
]);
const files = localExportFiles(onlyLocal(inject('s3')));

it('exports', async () => {
  const acme = await newOrganization(api);
  await acme.putFlow('web');
  await acme.begin({ name: 'run' });
  await acme.report(anArtifact('cli'));
  const long = { notes: 'x'.repeat(10), random: Array.from({ length: 400 }, (_, i) => createHash('sha256').update(String(i)).digest('hex')) };
  await acme.attest('generic', { attestation_name: 'tests', is_compliant: true, user_data: long }, { files: { attachment_file: 'report' } });
  const started = await acme.call('POST', `/exports/${acme.org}`);
  expect(started.status).toBe(202);
  const { id } = started.json as { id: string };
  const { table, objects, clock } = api.services;
  const sent: unknown[] = [];
  const services: ExporterServices = { table, objects, clock, files, exports: { send: async (m: unknown) => void sent.push(m) } as never };
  console.log(JSON.stringify(await exportMessages(queueEvent([{ org: acme.id, id }]), services)), sent);
  const got = (await acme.get(`/exports/${acme.org}/${id}`)).json as Record<string, any>;
  console.log(got);
  const bytes = Buffer.from(await (await fetch(got['download_url'])).arrayBuffer());
  const bag = await readBag(bytes);
  console.log(bag.faults, [...bag.files.keys()]);
  for (const [p, b] of bag.files) if (p.endsWith('.ndjson')) console.log(p, b.toString().slice(0, 3000));
});

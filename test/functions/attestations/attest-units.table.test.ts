import { expect, it } from 'vitest';
import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import { testApi } from '#test/support/api.ts';
import { aCommit, anArtifact, newOrganization } from '#test/support/evidence.ts';
import { countingTable } from '#test/support/table/units.ts';

const api = await testApi([flowsGroup, trailsGroup, artifactsGroup, attestationsGroup]);

/** A write unit is paid for each begun KB, twice in a transaction (rules/storage.md#units). */
it('writes records, moments and heads below 1 KB each', async () => {
  const acme = await newOrganization(api);
  await acme.report(anArtifact('cli'));
  const sound = api.services.table;
  const cost = async (write: () => Promise<{ status: number; text: string }>) => {
    const { table, units } = countingTable(sound);
    api.services.table = table;
    const { status, text } = await write();
    api.services.table = sound;
    expect(status, text).toBe(201);
    return units.write;
  };
  const figures = {
    plain: await cost(() => acme.attest('generic', { attestation_name: 'lint' })),
    again: await cost(() => acme.attest('generic', { attestation_name: 'lint' })),
    commit: await cost(() => acme.attest('generic', { attestation_name: 'lint', git_commit_info: aCommit() })),
    file: await cost(() => acme.attest('generic', { attestation_name: 'lint' }, { files: { attachment_file: 'x' } })),
    artifact: await cost(() => acme.report(anArtifact('cli'))),
  };
  expect(figures).toEqual({ plain: 10, again: 10, commit: 10, file: 12, artifact: 14 });
});

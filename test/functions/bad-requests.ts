import { expect } from 'vitest';
import { anArtifact, type EvidenceOfOrganization, evidenceApi, newOrganization } from '#test/support/evidence.ts';

/** What nobody should send, at every endpoint that takes it: a clear 4xx, nothing stored, never a 5xx. */

/**
 * An organization with the trail `web/run`, for all that is refused or only reads: each request must leave it as it was. Each
 * file of tests has its own.
 */
export async function untouchedOrganization() {
  const api = await evidenceApi();
  const organization = await newOrganization(api);
  await organization.report(anArtifact('cli'));
  const untouched = await organization.stored();
  /** Sends, and expects a refusal that leaves no trace. */
  const refused = async (
    act: (acme: EvidenceOfOrganization) => Promise<{ status: number; json: unknown; text: string }>,
    statuses: readonly number[] = [400],
  ) => {
    const answer = await act(organization);
    expect(statuses).toContain(answer.status);
    expect(answer.json).toMatchObject({ message: expect.any(String) });
    expect(answer.text.length).toBeLessThan(20_000);
    expect(await organization.stored()).toEqual(untouched);
    return answer.json as { errors: Record<string, string> };
  };
  return { api, organization, refused };
}

export const lists = ['/trails/ORG', '/trails/ORG/web', '/artifacts/ORG', '/artifacts/ORG/web', '/attestations/ORG'];

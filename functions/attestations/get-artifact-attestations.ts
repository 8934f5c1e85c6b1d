import * as z from 'zod';
import { isFingerprint } from '#shared/base/ids.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { AttestationOut, attestationOut } from '#shared/evidence/attestation-output.ts';
import { attestationsNamed, momentsBoundTo, readBrought } from '#shared/evidence/attestations-of-moments.ts';
import { readMomentsOfTrails } from '#shared/evidence/records/moments.ts';
import { readBesideFlow } from '#shared/evidence/records/trails.ts';
import { artifactNotInFlow, unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { EVIDENCE_FACETS, trailsOf } from '#shared/evidence/rules/series-kinds.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { listingEntries } from '#shared/series/listings.ts';

/**
 * GET /attestations/{org}/{flow}/artifact/{fingerprint}/{name}: every attestation of this name that is bound to the
 * artifact in any trail of the flow, newest first (rules/attestations.md#by-name-of-an-artifact).
 */
export const getArtifactAttestations = endpoint({
  operation: 'getArtifactAttestations',
  method: 'GET',
  path: '/attestations/{org}/{flow}/artifact/{fingerprint}/{name}',
  summary: 'Get the attestations of an artifact by name',
  access: 'reader',
  params: z.object({ org: z.string(), flow: z.string(), fingerprint: z.string(), name: z.string() }),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: z.array(AttestationOut) },
  errors: [unknownFlow, artifactNotInFlow],
  uses: READ_BODIES,
  handler: async ({ params, org, host }, services) => {
    const { table, clock } = services;
    const { name } = params;
    const fingerprint = isFingerprint(params.fingerprint) ? params.fingerprint : null;
    const { flow, beside: places } = await readBesideFlow(table, org.id, params.flow, async (id) =>
      fingerprint === null
        ? []
        : listingEntries(table, org.id, EVIDENCE_FACETS, trailsOf(fingerprint), { f: id }, clock.now()),
    );
    if (!flow) throw unknownFlow({ flow: params.flow, org: org.name });
    if (fingerprint === null || places.length === 0)
      throw artifactNotInFlow({ fingerprint: params.fingerprint, flow: params.flow, org: org.name });
    const trails = await readMomentsOfTrails(
      table,
      org.id,
      places.map(({ t }) => ({ flow: flow.id, trail: String(t) })),
    );
    const found = trails.flatMap((moments) => attestationsNamed(momentsBoundTo(moments, fingerprint), name));
    const records = await readBrought(table, org.id, found);
    records.sort((a, b) => b.at - a.at);
    const reader = { host, orgName: org.name, orgId: org.id, flowName: () => flow.name };
    return { status: 200, body: await Promise.all(records.map((record) => attestationOut(services, record, reader))) };
  },
});

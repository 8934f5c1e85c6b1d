import * as z from 'zod';
import { earliestOf, StoredMicros, toSeconds } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import { placeCursor, readPlaceCursor } from '#shared/components/builds/places.ts';
import { type ComparedArtifact, compareArtifacts } from '#shared/components/compare-artifacts.ts';
import type { ComponentDifferences } from '#shared/components/rules/differences.ts';
import { Fingerprint } from '#shared/evidence/rules/shared-fields.ts';
import { trailUrl } from '#shared/evidence/trail-output.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { cursorHeaders } from '#shared/http/paging.ts';
import { cursorFields, integerField, placeBefore } from '#shared/http/query-fields.ts';
import type { Place } from './component-forms.ts';

const PAGE = { size: 100, largest: 1_000 };

const ArtifactSide = z.object({
  fingerprint: z.string().describe('SHA-256 of the artifact'),
  not_known: z.string().nullable().describe('Why nobody knows its components; null if they are known'),
  sboms: z
    .array(
      z.object({
        attestation_id: z.string().describe('Id of the attestation'),
        attestation_name: z.string().describe('Name of the attestation'),
        flow_name: z.string().describe('Name of the flow'),
        trail_name: z.string().describe('Name of the trail'),
        html_url: z.string().describe('Address of a page of the trail, for people'),
        reported_at: z.number().describe('When it was reported, in seconds since the epoch'),
      }),
    )
    .describe('The SBOMs that count for it'),
});

const Versions = z.array(z.string().nullable());

const DifferenceOut = z
  .object({
    kind: z.enum(['added', 'removed', 'changed']).describe('Which of the artifacts has the package'),
    package: z.string().nullable().describe('The package; null for components without a package URL'),
    name: z.string().describe('Name of the component'),
    from: Versions.describe('Versions in `from` only. Null stands for a component without a version'),
    to: Versions.describe('Versions in `to` only'),
    direction: z
      .enum(['newer', 'older'])
      .nullable()
      .describe('Whether `to` has the newer version; null unless there is one on each side and both can be compared'),
  })
  .meta({ id: 'ComponentDifference' });
type DifferenceOut = z.input<typeof DifferenceOut>;

const Next = z.strictObject({ asOf: StoredMicros, from: z.int().min(0) });

/** GET /components/{org}/differences: what differs between two artifacts (rules/components.md#differences). */
export const getComponentDifferences = endpoint({
  operation: 'getComponentDifferences',
  method: 'GET',
  path: '/components/{org}/differences',
  summary: 'Compare the components of two artifacts',
  description:
    'Compares what the SBOMs of two artifacts list, by package. Without a readable SBOM of one of them there is nothing to compare, and `not_known` says why. Send `next_cursor` as `cursor` to get the next page.',
  access: 'reader',
  query: z.object({
    from: Fingerprint.meta({ description: 'SHA-256 of the earlier artifact' }),
    to: Fingerprint.meta({ description: 'SHA-256 of the later artifact' }),
    cursor: cursorFields('Differences').cursor,
    per_page: integerField({ min: 1, max: PAGE.largest })
      .default(PAGE.size)
      .meta({ description: 'Differences on a page', override: { default: PAGE.size } }),
  }),
  success: {
    200: z
      .object({
        as_of: z.number().describe('The instant that the answer is about, in seconds since the epoch'),
        from: ArtifactSide.describe('The earlier artifact'),
        to: ArtifactSide.describe('The later artifact'),
        counts: z
          .object({
            added: z.int().describe('Packages that only `to` has'),
            removed: z.int().describe('Packages that only `from` has'),
            changed: z.int().describe('Packages in different versions'),
            same: z.int().describe('Packages in the same versions'),
          })
          .nullable()
          .describe('Null unless the components of both are known'),
        differences: z
          .array(DifferenceOut)
          .describe('What was changed, then what was added, then what was removed, each by package'),
        next_cursor: z.string().nullable().describe('The `cursor` of the next page; null if this page is the last'),
      })
      .meta({ id: 'ComponentDifferences' }),
  },
  uses: READ_BODIES,
  handler: async (request, stores: Pick<Stores, 'table' | 'objects' | 'clock'>) => {
    const { org, query, host } = request;
    const { from, to, per_page: limit } = query;
    const now = stores.clock.now();
    const list = [org.id, 'component-differences', from, to];
    const before = placeBefore(query.cursor, (given) => readPlaceCursor(list, given, Next));
    const asOf = before ? earliestOf(before.asOf, now) : now;
    const compared = await compareArtifacts(stores, org.id, { from, to }, asOf);
    const all = compared.differences ? differencesOut(compared.differences) : [];
    const begin = before?.from ?? 0;
    const end = begin + limit;
    const following = end < all.length ? placeCursor(list, { asOf, from: end }) : null;
    const place = { host, org: org.name };
    return {
      status: 200,
      headers: cursorHeaders(request, following),
      body: {
        as_of: toSeconds(asOf),
        from: sideOut(compared.from, place),
        to: sideOut(compared.to, place),
        counts: compared.differences && countsOf(compared.differences),
        differences: all.slice(begin, end),
        next_cursor: following,
      },
    };
  },
});

const sideOut = (
  { fingerprint, notKnown, sboms }: ComparedArtifact,
  { host, org }: Place,
): z.input<typeof ArtifactSide> => ({
  fingerprint,
  not_known: notKnown,
  sboms: sboms.map(({ id, name, flowName, trail, at }) => ({
    attestation_id: id,
    attestation_name: name,
    flow_name: flowName,
    trail_name: trail,
    html_url: trailUrl(host, org, flowName, trail),
    reported_at: toSeconds(at),
  })),
});

const countsOf = ({ added, removed, changed, same }: ComponentDifferences) => ({
  added: added.length,
  removed: removed.length,
  changed: changed.length,
  same,
});

const differencesOut = ({ added, removed, changed }: ComponentDifferences): DifferenceOut[] => [
  ...changed.map((one) => ({ kind: 'changed' as const, ...one })),
  ...added.map(({ versions, ...one }) => ({ kind: 'added' as const, ...one, from: [], to: versions, direction: null })),
  ...removed.map(({ versions, ...one }) => ({
    kind: 'removed' as const,
    ...one,
    from: versions,
    to: [],
    direction: null,
  })),
];

import type * as z from 'zod';
import { invalid } from '#shared/base/errors.ts';
import { type Fingerprint, type FlowId, isFingerprint, storedId } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import { isShaPrefix } from '#shared/evidence/fingerprints.ts';
import { findFingerprints, trailsOf } from '#shared/evidence/records/artifact-records.ts';
import { findFlowsByTag, readFlowNames } from '#shared/evidence/records/flows.ts';
import { readBesideFlow, readTrailSummaries, type TrailSummary } from '#shared/evidence/records/trails.ts';
import { startedOnce } from '#shared/evidence/reporting.ts';
import { unknownFlow } from '#shared/evidence/rules/sentences.ts';
import { fieldsFrom, type TrailSummaryOut, trailUrl } from '#shared/evidence/trail-output.ts';
import type { Organization } from '#shared/http/endpoint.ts';
import { dataPage } from '#shared/http/paging.ts';
import type { Services } from '#shared/http/services.ts';
import { listingPage, mergedPage } from '#shared/series/listings.ts';
import { type SeriesEntry, seriesPage } from '#shared/series/series.ts';

/** So many series are merged into one list at most (design §4.2). */
const MOST_SERIES = 20;

export interface TrailFilters {
  flow?: string | undefined;
  fingerprint?: string | undefined;
  flow_tag?: string | undefined;
}

interface Page {
  page: number;
  per_page: number;
}

/** One page of trails as the wire has it. @throws ApiError 404 for an unknown flow, 400 for filters that fit too much */
export async function trailsPage(
  services: Services,
  { org, host }: { org: Organization; host: string },
  filters: TrailFilters,
  { page, per_page: perPage }: Page,
) {
  const { table, objects } = services;
  const { total, entries } = await select(services, org, filters, { page, perPage });
  const places = entries.map(({ f, t }) => ({ flow: storedId<FlowId>(String(f)), trail: String(t) }));
  const [summaries, names] = await Promise.all([
    readTrailSummaries(table, objects, org.id, places),
    readFlowNames(table, org.id, [...new Set(places.map(({ flow }) => flow))]),
  ]);
  const items = summaries.map((summary) => summaryOut(summary, names.get(summary.flow) ?? '', org.name, host));
  return dataPage({ page, perPage, total, items });
}

async function select(
  { table, clock }: Services,
  org: Organization,
  filters: TrailFilters,
  page: { page: number; perPage: number },
): Promise<{ total: number; entries: SeriesEntry[] }> {
  const now = clock.now();
  const others = startedOnce(() =>
    Promise.all([
      filters.flow_tag === undefined ? undefined : flowsTagged(filters.flow_tag),
      filters.fingerprint === undefined ? undefined : fingerprintsOf(filters.fingerprint),
    ]),
  );
  if (filters.flow === undefined) return pageOf(undefined);
  const { flow, beside } = await readBesideFlow(table, org.id, filters.flow, pageOf);
  if (!flow) throw unknownFlow({ flow: filters.flow, org: org.name });
  return beside;

  async function pageOf(flow: FlowId | undefined) {
    const [tagged, fingerprints] = await others();
    const flows = narrowed(flow, tagged);
    const lists =
      fingerprints?.flatMap((fingerprint) =>
        (flows ?? [undefined]).map((id) => (asked: typeof page) => {
          const facet: Record<string, string> = id === undefined ? {} : { f: id };
          return listingPage(table, org.id, trailsOf(fingerprint), facet, asked, now);
        }),
      ) ??
      (flows?.map((id) => `trails:${id}`) ?? ['trails']).map(
        (series) => (asked: typeof page) => seriesPage(table, org.id, series, asked, now),
      );
    if (lists.length > MOST_SERIES) {
      const field = filters.flow_tag === undefined ? 'query.fingerprint' : 'query.flow_tag';
      throw invalid({
        [field]: `Fits more than ${MOST_SERIES} lists of trails. Ask for one flow, or for a longer fingerprint`,
      });
    }
    return mergedPage(lists, page);
  }

  async function flowsTagged(tag: string): Promise<FlowId[]> {
    const equals = tag.indexOf('=');
    return equals < 1
      ? []
      : findFlowsByTag(table, org.id, tag.slice(0, equals), tag.slice(equals + 1), MOST_SERIES + 1);
  }

  async function fingerprintsOf(prefix: string): Promise<Fingerprint[]> {
    if (!isShaPrefix(prefix)) return [];
    if (isFingerprint(prefix)) return [prefix];
    return (await findFingerprints(table, org.id, prefix, MOST_SERIES + 1)).map(({ fingerprint }) => fingerprint);
  }
}

/** The flows that both filters leave; undefined where neither was given. */
function narrowed(flow: FlowId | undefined, tagged: FlowId[] | undefined): FlowId[] | undefined {
  if (flow === undefined) return tagged;
  if (tagged === undefined) return [flow];
  return tagged.filter((id) => id === flow);
}

function summaryOut(
  { head, fields: text }: TrailSummary,
  flow: string,
  org: string,
  host: string,
): z.input<typeof TrailSummaryOut> {
  const fields = fieldsFrom(text);
  return {
    name: head.name,
    flow_name: flow,
    description: fields.description ?? '',
    compliance_state: head.word,
    is_compliant: head.word === 'COMPLIANT',
    created_at: toSeconds(head.created),
    last_modified_at: toSeconds(head.at),
    created_by: head.by,
    html_url: trailUrl(host, org, flow, head.name),
    git_commit_info: fields.git_commit_info && { ...fields.git_commit_info },
  };
}

import * as z from 'zod';
import { absolute } from '#shared/base/addresses.ts';
import type { EnvironmentId, Fingerprint } from '#shared/base/ids.ts';
import { allInOrder } from '#shared/base/parallel.ts';
import { READ_BODIES } from '#shared/bodies/uses.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { readControlDecisions } from '#shared/controls/control-decisions.ts';
import type { ControlDecision } from '#shared/controls/rules/decisions.ts';
import { type AttachedPolicy, readAttachedPolicies } from '#shared/environments/attached-policies.ts';
import { evaluateArtifact } from '#shared/environments/evaluate.ts';
import { limitAssert } from '#shared/environments/limits/check-limit.ts';
import { readAllowing } from '#shared/environments/records/allowed.ts';
import type { EnvironmentHead } from '#shared/environments/records/environment-records.ts';
import { readListedHeads } from '#shared/environments/records/environments.ts';
import { decisionsOf } from '#shared/environments/rules/content.ts';
import { ENVIRONMENTS } from '#shared/environments/rules/series-kinds.ts';
import { readPresences, readVerdictsInFlows, type VerdictInFlow } from '#shared/evidence/flow-verdicts.ts';
import { OverrideOut, readOverrides } from '#shared/evidence/overrides.ts';
import { artifactNotInOrg } from '#shared/evidence/rules/sentences.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { flatPage, flatPageSchema, pageAnswer } from '#shared/http/paging.ts';
import { pageFields } from '#shared/http/query-fields.ts';
import type { Services } from '#shared/http/services.ts';
import { noteUnreadable } from '#shared/http/unreadable.ts';
import { controlQuestions } from '#shared/policies/rules/evaluate.ts';
import { reasonsWithGaps, type TrailPlace } from '#shared/policies/rules/reasons.ts';
import { readCatalogue } from '#shared/series/catalogue.ts';
import type { Item } from '#shared/table/table.ts';
import { FlowVerdict, flowVerdict, readFilename, resolveFingerprint } from './judged-artifact.ts';

const EnvironmentVerdict = z
  .object({
    environment: z.string(),
    type: z.string(),
    compliant: z.boolean().nullable().meta({ description: 'Null if neither policies nor flows can decide' }),
    decided_by: z.enum(['allow_list', 'policies', 'flows']).nullable().meta({
      description: 'What decided: an entry of the allow-list, else policies if there are any, else the flows',
    }),
    policies: z
      .array(z.object({ policy_name: z.string(), policy_version: z.int(), status: z.string() }))
      .meta({ description: 'The attached policies with their decisions' }),
    reasons: z.array(z.string()).meta({ description: 'Why the artifact is not compliant; empty otherwise' }),
    html_url: z.string(),
    unreadable: z.literal(true).optional().meta({ description: 'Set if the environment could not be read' }),
  })
  .meta({ id: 'EnvironmentVerdict' });
type EnvironmentVerdict = z.input<typeof EnvironmentVerdict>;

/**
 * GET /asserts/{org}/fingerprint/{fingerprint}/environments: whether an artifact is compliant in each environment
 * (rules/lookups.md#assert-in-all-environments).
 */
export const assertInEnvironments = endpoint({
  operation: 'assertArtifactInEnvironments',
  method: 'GET',
  path: '/asserts/{org}/fingerprint/{fingerprint}/environments',
  summary: 'Assert that an artifact is compliant, in every environment',
  description:
    'Environments by name, each with the verdict of its present policies, or of the flows if it has no policies. An artifact that nobody reported is judged as well.',
  access: 'reader',
  params: z.object({ org: z.string(), fingerprint: z.string() }),
  query: z.object(pageFields({ perPage: 50 })),
  body: { kind: 'none' },
  success: {
    200: flatPageSchema('environments', EnvironmentVerdict)
      .extend({
        fingerprint: z.string(),
        flows: z.array(FlowVerdict),
        overrides: z.array(OverrideOut).meta({ description: 'The overrides that the verdicts of the flows rest on' }),
      })
      .meta({ id: 'EnvironmentAssertions' }),
  },
  errors: [artifactNotInOrg],
  uses: READ_BODIES,
  handler: async (request, services) => {
    const { params, query, org, host } = request;
    const { page, per_page: perPage } = query;
    const [fingerprint, listed] = await Promise.all([
      resolveFingerprint(services, org, params.fingerprint),
      readCatalogue(services.table, org.id, ENVIRONMENTS),
    ]);
    if (fingerprint === null) throw artifactNotInOrg({ fingerprint: params.fingerprint, org: org.name });

    const inOrder = [...listed.values()].toSorted((one, other) =>
      String(one.entry['n']) < String(other.entry['n']) ? -1 : 1,
    );
    const wanted = inOrder.slice((page - 1) * perPage, page * perPage);
    const [environments, presences] = await Promise.all([
      readListedHeads(
        services.table,
        org.id,
        wanted.map(({ id }) => id),
      ),
      readPresences(services, org, [fingerprint]),
    ]);
    const readable = environments.flatMap((one) => ('unreadable' in one ? [] : [one]));
    const policiesReading = readPolicies(services, org, readable);
    const verdictsReading = readVerdictsInFlows(services, org, presences);
    const [policies, allowing, name, verdicts, decisions, overrides] = await allInOrder([
      policiesReading,
      readAllowing(services.table, org.id, idsOf(readable.filter(({ allowed }) => allowed > 0)), fingerprint),
      readFilename(services, org, presences),
      verdictsReading,
      policiesReading.then((found) => {
        const questions = [...found.values()].flatMap(({ content }) => controlQuestions(content));
        return readControlDecisions(services, org, presences, questions);
      }),
      verdictsReading.then((found) => readOverrides(services, org, found.get(fingerprint) ?? [])),
    ]);
    const evidence = {
      artifact: { name, fingerprint },
      verdicts: verdicts.get(fingerprint) ?? [],
      decisions: decisions.get(fingerprint) ?? [],
    };
    const attachedTo = ({ policies: ids }: EnvironmentHead) => ids.flatMap((id) => policies.get(id) ?? []);
    limitAssert('per_page', name, readable.flatMap(attachedTo), evidence);
    const items = environments.flatMap((environment) => {
      if ('unreadable' in environment) {
        noteUnreadable('asserts', request, `environment ${environment.id}`, environment.unreadable);
        const entry = listed.get(environment.id)?.entry;
        return entry ? [unreadableVerdict(entry, request)] : [];
      }
      // An environment that was archived between the two reads is left out.
      if (environment.archived !== null) return [];
      return [verdictIn(environment, attachedTo(environment), allowing.has(environment.id), evidence, request)];
    });
    const shown = { page, perPage, total: inOrder.length, items };
    return pageAnswer(request, shown, {
      ...flatPage('environments', request, shown),
      fingerprint,
      flows: evidence.verdicts.map((verdict) => flowVerdict(verdict, fingerprint, { host, org: org.name })),
      overrides,
    });
  },
});

const idsOf = (environments: readonly EnvironmentHead[]): EnvironmentId[] => environments.map(({ id }) => id);

/** Reads each policy that an environment of the page has once. */
async function readPolicies(services: Services, org: Organization, environments: readonly EnvironmentHead[]) {
  const ids = [...new Set(environments.flatMap(({ policies }) => policies))];
  return new Map((await readAttachedPolicies(services, org, ids)).map((policy) => [policy.id, policy]));
}

interface Evidence {
  artifact: { name: string; fingerprint: Fingerprint };
  verdicts: readonly VerdictInFlow[];
  decisions: readonly ControlDecision[];
}
interface Place {
  host: string;
  org: Organization;
}

/** The verdict in one environment, by the rules of a single assert (rules/lookups.md#assert-in-an-environment). */
function verdictIn(
  head: EnvironmentHead,
  policies: readonly AttachedPolicy[],
  allowed: boolean,
  { artifact, verdicts, decisions }: Evidence,
  place: Place,
): EnvironmentVerdict {
  const {
    compliant: decided,
    flows,
    evaluations,
  } = evaluateArtifact(artifact, {
    verdicts,
    decisions,
    policies,
    allowed,
  });
  const inFlows = verdicts.length === 0 ? null : verdicts.every((verdict) => verdict.compliant);
  const compliant = decided ?? inFlows;
  const gaps = ({ flow, trail }: TrailPlace): readonly string[] =>
    verdicts.find((verdict) => verdict.flow.name === flow && verdict.presence.trail === trail)?.reasons ?? [];
  const failed = () =>
    decided === null ? verdicts.flatMap(reasonsInFlow) : reasonsWithGaps(decisionsOf({ flows, evaluations }), gaps);
  const byFlows = inFlows === null ? null : 'flows';
  return {
    environment: head.name,
    type: head.kind,
    compliant,
    decided_by: allowed ? 'allow_list' : decided === null ? byFlows : 'policies',
    policies: evaluations.map(({ policy_name, policy_version, status }) => ({ policy_name, policy_version, status })),
    reasons: compliant === false ? failed() : [],
    html_url: pageOf(place, head.name),
  };
}

const reasonsInFlow = ({ flow, presence, reasons }: VerdictInFlow): string[] =>
  reasons.map((reason) => `${reason} (flow '${flow.name}', trail '${presence.trail}')`);

/** @param entry the environment's entry in the catalogue */
const unreadableVerdict = (entry: Item, place: Place): EnvironmentVerdict => ({
  environment: String(entry['n']),
  type: String(entry['k']),
  compliant: null,
  decided_by: null,
  policies: [],
  reasons: [],
  html_url: pageOf(place, String(entry['n'])),
  unreadable: true,
});

const pageOf = ({ host, org }: Place, environment: string): string =>
  absolute(host, `/${org.name}/environments/${environment}`);

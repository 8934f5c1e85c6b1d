import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { errorFacts } from '#shared/base/error-facts.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import { type Log, messageLog, type WorkerLog, workerLog } from '#shared/base/log-lines.ts';
import { within } from '#shared/base/time.ts';
import type { IndexWork } from '#shared/components/index-steps.ts';
import { appendLogical } from '#shared/environments/append-logical.ts';
import { type ExpanderServices, type ExpansionContext, noMarkNews } from '#shared/environments/effects-context.ts';
import { EnvironmentMemory } from '#shared/environments/environment-memory.ts';
import { expandSnapshots } from '#shared/environments/expand.ts';
import { ExpansionMessage, expansionMessage } from '#shared/environments/expand-message.ts';
import { markEnvironments, raiseMarks } from '#shared/environments/raise-marks.ts';
import { markRecalled } from '#shared/environments/recalls/mark-recalled.ts';
import { evaluationsOf } from '#shared/evaluations/explain-decisions.ts';
import type { MomentFacts } from '#shared/evidence/rules/moment-facts.ts';
import { EVIDENCE_FACETS } from '#shared/evidence/rules/series-kinds.ts';
import { countSeries } from '#shared/series/count-series.ts';
import { type SeriesContext, SeriesMemory } from '#shared/series/series-context.ts';
import { type AskedPlace, askIndex } from '#shared/watches/asking/ask-index.ts';
import { askSbom } from '#shared/watches/asking/ask-sbom.ts';
import { askStarts } from '#shared/watches/asking/ask-starts.ts';

/** After this time, in milliseconds, a call begins no further piece. It hands the rest to the next message. */
export const PIECES_MILLIS = 5_000;
/** If another call expands the same environment, this one looks again after this time, because the other may fail. */
const LOOK_AGAIN_SECONDS = 10;

/** Shared by all calls of one container. */
const containerMemory = new EnvironmentMemory();

interface ExpandOptions {
  memory?: EnvironmentMemory;
  log?: WorkerLog;
  /** Gets a line about each message. @default the standard output */
  lines?: Log;
  /** Returns the time in milliseconds, for the length of a call. */
  wallClock?: () => number;
}

/**
 * Processes messages of the queue of expansions (rules/environments.md#expander). If the time of a call is over before
 * the work is done, the expander sends a message for the rest.
 *
 * @returns the messages that failed and that the queue delivers again
 */
export async function expandMessages(
  event: SQSEvent,
  services: ExpanderServices,
  { memory = containerMemory, log, lines, wallClock = Date.now }: ExpandOptions = {},
): Promise<SQSBatchResponse> {
  const isTime = within(PIECES_MILLIS, wallClock);
  const line = messageLog('expander', lines, wallClock);
  const batchItemFailures: SQSBatchResponse['batchItemFailures'] = [];
  for (const record of event.Records) {
    const failures = log ?? workerLog(record.messageId, undefined, undefined, 'expander');
    try {
      const message = ExpansionMessage.parse(JSON.parse(record.body));
      const context = { services, memory, log: failures, evaluationsOf, askStarts };
      await expandMessage(context, message, isTime);
      line('INFO', 'Worked on an expansion', record, factsOf(message));
    } catch (error) {
      failures('Working on a message of the queue of expansions failed; the message comes again', {
        body: record.body,
        ...errorFacts(error),
      });
      batchItemFailures.push({ itemIdentifier: record.messageId });
    }
  }
  return { batchItemFailures };
}

type ExpanderContext = ExpansionContext & { services: ExpanderServices };

const factsOf = (message: ExpansionMessage) => ({
  organization: message.org,
  work: message.work,
  ...('environment' in message && { environment: message.environment }),
  ...('series' in message && { series: message.series }),
  ...('name' in message && { recall: message.name }),
  ...('attestation' in message && { attestation: message.attestation }),
  ...('watch' in message && { watch: message.watch }),
  requests: message.work === 'expand' ? message.requests : [],
});

async function expandMessage(
  context: ExpanderContext,
  message: ExpansionMessage,
  isTime: () => boolean,
): Promise<void> {
  const { org } = message;
  switch (message.work) {
    case 'expand':
      return expand(context, message, isTime);
    case 'group':
      await appendLogical(context, org, message.environment, null);
      return;
    case 'mark':
      return markEnvironments(context, org, message);
    case 'recall':
      return markRecalled(context, message, isTime);
    case 'components':
      return indexComponents(context, message, isTime);
    case 'watch':
      return askWatch(context, message, isTime);
    case 'settle':
    case 'recount':
      return countSeries(seriesContext(context.services, isTime), message);
  }
}

async function indexComponents(
  context: ExpanderContext,
  { org, attestation, place }: ExpansionMessage & { work: 'components' },
  isTime: () => boolean,
): Promise<void> {
  // Loaded at the first use: the readers of SBOMs contain a parser of XML, and few messages are about SBOMs.
  const { indexAttestation } = await import('#shared/components/index-attestation.ts');
  const { services } = context;
  const handOver = (rest: IndexWork, delaySeconds: number) =>
    services.expansions.send([expansionMessage({ work: 'components', ...rest }, delaySeconds)]);
  const changed = (owner: OrganizationId, moment: MomentFacts) =>
    raiseMarks(context, { ...noMarkNews(owner), moments: [moment] });
  await indexAttestation({ ...services, isTime, changed, handOver, askWatches: askSbom }, { org, attestation, place });
}

async function askWatch(
  { services }: ExpanderContext,
  { org, watch, name, from }: ExpansionMessage & { work: 'watch' },
  isTime: () => boolean,
): Promise<void> {
  const handOver = (rest: AskedPlace) =>
    services.expansions.send([expansionMessage({ work: 'watch', org, watch, name, from: rest })]);
  await askIndex({ ...services, isTime, handOver }, org, { watch, name }, from);
}

/** A call of another message can work on any series, so nothing of series is remembered between calls. */
const seriesContext = ({ table, clock, expansions }: ExpanderServices, isTime: () => boolean): SeriesContext => ({
  table,
  clock,
  kinds: EVIDENCE_FACETS,
  memory: new SeriesMemory(),
  isTime,
  handOver: (work) => expansions.send([expansionMessage(work)]),
});

async function expand(context: ExpanderContext, message: ExpansionMessage & { work: 'expand' }, isTime: () => boolean) {
  const outcome = await expandSnapshots(context, message.org, message.environment, isTime);
  if (outcome === 'done') return;
  const delaySeconds = outcome === 'moved' ? LOOK_AGAIN_SECONDS : 0;
  await context.services.expansions.send([expansionMessage(message, delaySeconds)]);
}

import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { errorFacts } from '#shared/base/error-facts.ts';
import { type Log, messageLog } from '#shared/base/log-lines.ts';
import { continueExport } from '#shared/exports/continue-export.ts';
import { ExportMessage, exportMessage } from '#shared/exports/export-message.ts';
import { LOOK_AGAIN_SECONDS } from '#shared/exports/pin-log.ts';
import type { ExporterServices } from '#shared/exports/services.ts';

/** After this time, in milliseconds, a call begins no further page. It hands the rest to the next message. */
export const PAGES_MILLIS = 10_000;

interface WorkOptions {
  log?: Log;
  wallClock?: () => number;
}

/**
 * Continues the exports of a batch of messages. If the time of a call is over before an export is done, the exporter
 * sends a message for the rest. For an export that waits for its checkpoint it sends a delayed one.
 */
export async function exportMessages(
  event: SQSEvent,
  services: ExporterServices,
  { log, wallClock = Date.now }: WorkOptions = {},
): Promise<SQSBatchResponse> {
  const until = wallClock() + PAGES_MILLIS;
  const isTime = () => wallClock() < until;
  const line = messageLog('exporter', log, wallClock);
  const batchItemFailures: SQSBatchResponse['batchItemFailures'] = [];
  for (const record of event.Records) {
    try {
      const { org, id, kind, requests } = ExportMessage.parse(JSON.parse(record.body));
      const message = exportMessage(org, id, kind, requests);
      const outcome = await continueExport(services, { org, id, kind }, isTime);
      if (outcome === 'more') await services.exports.send([message]);
      if (outcome === 'waiting') {
        await services.exports.send([{ ...message, delaySeconds: LOOK_AGAIN_SECONDS }]);
      }
      const level = outcome === 'unknown' || outcome === 'failed' ? 'ERROR' : 'INFO';
      line(level, 'Worked on an export', record, { organization: org, [kind]: id, outcome, requests });
    } catch (error) {
      line('ERROR', 'Working on an export failed; its message comes again', record, errorFacts(error));
      batchItemFailures.push({ itemIdentifier: record.messageId });
    }
  }
  return { batchItemFailures };
}

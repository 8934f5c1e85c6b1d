import { shortName } from '#shared/base/reasons/artifact-name.ts';
import { reasonSentence } from '#shared/base/reasons/sentence.ts';
import { lastFailures, type ReasonStep } from '#shared/base/reasons/steps.ts';
import { timeText } from '#shared/base/texts/instants.ts';
import { isRunning } from '#shared/environments/rules/content.ts';
import { explainRows } from '#shared/environments/snapshots/explain-rows.ts';
import { listSnapshotArtifacts, type ShownSnapshot } from '#shared/environments/snapshots/get-snapshot.ts';
import type { ShownRow } from '#shared/environments/snapshots/resolve-content.ts';
import { reasonReading } from '#shared/evaluations/explain-decisions.ts';
import { quote } from '../rules/quote.ts';
import { stateWord } from '../rules/words.ts';
import { tool } from '../tool.ts';
import { environmentCitations, environmentName, instant, pointAt } from './fields.ts';

/** Most artifacts whose reasons are resolved for one answer. */
const MOST_EXPLAINED = 20;

/** Says why an environment is not compliant, artifact by artifact (rules/agents.md#tools). */
export const whyNotCompliant = tool({
  name: 'why_not_compliant',
  title: 'Why is an environment not compliant?',
  description:
    'Says whether an environment is compliant, and for each artifact that is not: what is missing or failed, and in which record. With `at`, as of an instant.',
  input: { environment: environmentName, at: instant },
  access: 'reader',
  run: async ({ services, org, host }, { environment, at }) => {
    const { snapshot, onPage, total } = await listSnapshotArtifacts(services, org, environment, pointAt(at), {
      state: false,
      page: { page: 1, perPage: MOST_EXPLAINED },
    });
    const place = { host, org };
    const chains = await explainRows(reasonReading(services), place, snapshot, onPage);
    return {
      verdict: verdictOf(snapshot, total),
      facts: {
        environment: quote(environment),
        compliant: snapshot.present.state,
        snapshot: snapshot.parts.summary.index,
        taken_at: timeText(snapshot.parts.summary.at),
      },
      rows: onPage.map((row, n) => reasonRow(row, chains[n]?.steps ?? [])),
      more: total - onPage.length,
      ask: 'Ask why_not_compliant again after these are mended, or open the page of the environment.',
      citations: environmentCitations({ host, org }, snapshot.head.name, snapshot.parts.summary.index),
    };
  },
});

function verdictOf({ head, present, parts, rows }: ShownSnapshot, failing: number): string {
  const running = rows.filter(isRunning).length;
  const taken = `Snapshot ${parts.summary.index} of ${timeText(parts.summary.at)}`;
  const word = `The environment ${quote(head.name)} is ${stateWord(present.state)}`;
  if (present.reason !== null) return `${word}: ${quote(present.reason)}. ${taken}: ${running} artifacts run.`;
  if (failing === 0) return `${word}. ${taken}: ${running} artifacts run, and none of them is not compliant.`;
  return `${word}: ${failing} of ${running} artifacts ${failing === 1 ? 'is' : 'are'} not compliant. ${taken}.`;
}

function reasonRow(row: ShownRow, steps: readonly ReasonStep[]) {
  const sentence = reasonSentence(shortName(row.name), steps);
  const [last] = lastFailures(steps);
  return {
    sentence: `${quote(row.name)}: ${sentence === null ? 'not compliant, and nothing says why' : quote(sentence, 400)}`,
    facts: {
      artifact: quote(row.name),
      fingerprint: row.fingerprint,
      why: sentence === null ? null : quote(sentence, 400),
      record: last?.html_url ?? null,
    },
  };
}

import * as z from 'zod';
import { secondsText, timeText } from '#shared/base/texts/instants.ts';
import { isRunning } from '#shared/environments/rules/content.ts';
import { listSnapshotArtifacts } from '#shared/environments/snapshots/get-snapshot.ts';
import type { ShownRow } from '#shared/environments/snapshots/resolve-content.ts';
import { quote } from '../rules/quote.ts';
import { stateWord } from '../rules/words.ts';
import { tool } from '../tool.ts';
import { environmentCitations, environmentName, instant, pointAt } from './fields.ts';

/** Says what runs in an environment, and since when (rules/agents.md#tools). */
export const whatRuns = tool({
  name: 'what_runs',
  title: 'What runs in an environment, and since when?',
  description:
    'Lists the artifacts that run in an environment with the time of their start, their flow and trail, and their verdict. With `at`, as of an instant. `search` narrows by a part of the name or the beginning of a fingerprint.',
  input: {
    environment: environmentName,
    at: instant,
    search: z.string().min(1).max(200).optional().describe('A part of the name, or the beginning of the fingerprint'),
  },
  access: 'reader',
  run: async ({ services, org, host }, { environment, at, search }) => {
    const { snapshot, onPage } = await listSnapshotArtifacts(services, org, environment, pointAt(at), { search });
    const running = onPage.filter(isRunning);
    const { summary } = snapshot.parts;
    const found = search === undefined ? '' : ` whose name or fingerprint has ${quote(search)}`;
    return {
      verdict: `${running.length} artifacts${found} run in ${quote(environment)} by snapshot ${summary.index} of ${timeText(summary.at)}. The environment is ${stateWord(snapshot.present.state)}.`,
      facts: { environment: quote(environment), snapshot: summary.index, taken_at: timeText(summary.at) },
      rows: running.map(runningRow),
      ask: 'Ask what_runs again with `search`.',
      citations: environmentCitations({ host, org }, snapshot.head.name, snapshot.parts.summary.index),
    };
  },
});

function runningRow({ name, fingerprint, started, compliant, flows: [primary] }: ShownRow) {
  const from = primary ? `flow ${quote(primary.name)}, trail ${quote(primary.trailName)}` : 'no flow has reported it';
  const since = secondsText(Math.min(...started));
  return {
    sentence: `${quote(name)} since ${since}, ${stateWord(compliant)}; ${from}`,
    facts: {
      artifact: quote(name),
      fingerprint,
      since,
      compliant,
      flow: primary ? quote(primary.name) : null,
      trail: primary ? quote(primary.trailName) : null,
    },
  };
}

import { useState } from 'react';
import { ApiProblem } from '../client/api-problem.ts';
import { call } from '../client/call.ts';
import { useAnswer, useLiveAnswer } from '../client/live.ts';
import { queryClient, read } from '../client/query-client.ts';
import { log } from '../environment/history/operations.ts';
import { outgoingLink } from '../model/link-guard.ts';
import { Button } from '../parts/control/button.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { ErrorPanel } from '../parts/page/error-panel.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Table } from '../parts/table/table.tsx';
import { Code } from '../parts/text/code.tsx';
import { Id } from '../parts/text/id.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import type { PageProps } from '../routes/route.ts';
import { exportsSentence, progressText, verifyCommand } from './model/progress.ts';
import { type Export, exportOf, exports, newExport } from './operations.ts';
import type { exportsRoute } from './routes.ts';

/** Seconds between two reads while an export is made, and otherwise. */
const RUNNING_SECONDS = 2;
const IDLE_SECONDS = 30;

/** Exports of the whole organization: start one, see how far it is, save it (rules/web-console.md#page-of-exports). */
export default function ExportsPage({ params }: PageProps<typeof exportsRoute>) {
  const { org } = params;
  const { exports: all } = useLiveAnswer(read(exports, params), (answer) =>
    answer.exports.some(({ state }) => state === 'running') ? RUNNING_SECONDS : IDLE_SECONDS,
  );
  const [problem, setProblem] = useState<ApiProblem>();
  const [isStarting, setStarting] = useState(false);
  const attempt = async (step: () => Promise<void>): Promise<void> => {
    setProblem(undefined);
    try {
      await step();
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      setProblem(error);
    }
  };
  const start = async (): Promise<void> => {
    setStarting(true);
    await attempt(async () => {
      await call(newExport, { org }, {});
      await queryClient.invalidateQueries({ queryKey: read(exports, params).queryKey });
    });
    setStarting(false);
  };
  const save = (id: string): Promise<void> =>
    attempt(async () => {
      const { download_url: url } = await call(exportOf, { org, export_id: id }, {});
      // The address answers a file to save, so the page stays.
      const link = url === null ? null : outgoingLink(url);
      if (link) location.assign(link.href);
    });
  const isRunning = all.some(({ state }) => state === 'running');
  return (
    <>
      <VerdictLine
        subject="Exports"
        context={org}
        sentence={exportsSentence(all)}
        actions={
          <Button look="primary" disabled={isStarting || isRunning} onClick={() => void start()}>
            Export everything
          </Button>
        }
      />
      {problem && <ErrorPanel error={problem} />}
      <Panel title="Exports of the last seven days" note="each holds records, attachments, the log and the audit log">
        {all.length === 0 ? (
          <Empty
            sentence="No export was started in the last seven days."
            remedy="An export is one archive with everything that the organization has. It proves itself without this service."
          />
        ) : (
          <Table
            caption="Exports"
            rows={all}
            keyOf={({ id }) => id}
            columns={[
              { head: 'Started', fit: true, cell: ({ started_at: at }) => <Time at={at} /> },
              { head: 'By', fit: true, cell: ({ started_by: by }) => <Text>{by}</Text> },
              { head: 'State', wide: true, cell: (one) => <Text>{progressText(one)}</Text> },
              { head: 'SHA-256', cell: ({ sha256 }) => sha256 !== null && <Id what="SHA-256">{sha256}</Id> },
              {
                head: 'Kept until',
                fit: true,
                cell: ({ expires_at: at }) => <Time at={at} />,
              },
              {
                head: 'File',
                fit: true,
                cell: ({ id, state }) => state === 'done' && <Button onClick={() => void save(id)}>Download</Button>,
              },
            ]}
          />
        )}
      </Panel>
      <Panel title="Check an export" note="on any machine with Node, without this service">
        <Check org={org} newest={all.find(({ state }) => state === 'done')} />
      </Panel>
    </>
  );
}

function Check({ org, newest }: { org: string; newest: Export | undefined }) {
  const { verifier_keys: keys } = useAnswer(read(log, { org }));
  return (
    <>
      <p>
        Save the{' '}
        <a href="/-/assets/verify.mjs" download>
          verifier
        </a>
        , and take the key of the log from the operator. The key in this command comes from the service and is for
        comparison only.
      </p>
      <Code what="Verifier" wrap>
        {verifyCommand(newest?.filename ?? `${org}-SIZE.tar`, keys.at(-1)?.key ?? 'KEY')}
      </Code>
    </>
  );
}

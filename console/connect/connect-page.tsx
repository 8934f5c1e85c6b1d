import { useMay } from '../account/user.ts';
import { Panel } from '../parts/page/panel.tsx';
import { Tabs } from '../parts/page/tabs.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Code } from '../parts/text/code.tsx';
import type { PageProps } from '../routes/route.ts';
import { TrustTable } from '../settings/trust-table.tsx';
import { Admission } from './admission.tsx';
import { Checklist } from './checklist.tsx';
import styles from './connect.module.css';
import { KeyNote } from './key-note.tsx';
import { CI_LABELS, CI_NAMES, REPORTER_NAMES, REPORTERS } from './model/choices.ts';
import { ciSystem } from './model/ci-systems.ts';
import { gatesOf } from './model/gates.ts';
import { environmentCommand, installCommand, keyCommand, reporterCommands, reporterNote } from './model/reporters.ts';
import { workflowOf } from './model/workflows.ts';
import type { connectRoute } from './routes.ts';

/** The way from a CI system to the first compliant snapshot: what to copy, and what has come. */
export default function ConnectPage({ params: { org }, search }: PageProps<typeof connectRoute>) {
  const params = { org };
  const { ci = 'github', runs = 'server' } = search;
  const place = { host: location.origin, org };
  const label = CI_LABELS[ci];
  const { file, keyless } = ciSystem(ci);
  const isAdmin = useMay(org, 'admin');
  return (
    <>
      <VerdictLine
        subject="Connect your CI"
        context={org}
        sentence="Let a pipeline in, copy its workflow, and report what runs. What has come stands below, without a reload."
      />
      <Panel title="What has come" rows={4}>
        <Checklist org={org} />
      </Panel>
      <Tabs
        label="CI system"
        tabs={CI_NAMES.map((name) => ({
          label: CI_LABELS[name],
          page: 'connect',
          params,
          search: { ...search, ci: name },
          isCurrent: name === ci,
        }))}
      />
      <Panel title={`1. Let ${label === 'Other' ? 'the pipeline' : label} in`}>
        <Admission org={org} ci={ci} />
      </Panel>
      <Panel title={`2. Copy into ${file}`} note="complete, with a stand-in for your build">
        <div className={styles['steps']}>
          <Code what={file}>{workflowOf(ci, place)}</Code>
        </div>
      </Panel>
      <Panel title="3. Say what may run" note="for bash, with a key of yours">
        <KeyNote org={org} />
        <ol className={styles['steps']}>
          {[installCommand(), keyCommand(place), environmentCommand(runs)].map(({ what, text }) => (
            <li key={what}>
              <Code what={what} wrap>
                {text}
              </Code>
            </li>
          ))}
        </ol>
      </Panel>
      <Panel title="4. Report what runs" note="where it runs, in the shell of step 3 or with its settings">
        <Tabs
          label="Reporter"
          tabs={REPORTER_NAMES.map((name) => ({
            label: REPORTERS[name],
            page: 'connect',
            params,
            search: { ...search, runs: name },
            isCurrent: name === runs,
          }))}
        />
        <div className={styles['steps']}>
          <p className={styles['quiet']}>{reporterNote(runs)}</p>
          {reporterCommands(runs, place).map(({ what, text }) => (
            <Code key={what} what={what} wrap>
              {text}
            </Code>
          ))}
        </div>
      </Panel>
      <Panel title="5. Stop what must not run" note="gates, and what each does if the service does not answer">
        <div className={styles['steps']}>
          {gatesOf(place).map(({ what, text, unanswered }) => (
            <div key={what}>
              <Code what={what} wrap>
                {text}
              </Code>
              <p className={styles['quiet']}>No answer: {unanswered}</p>
            </div>
          ))}
        </div>
      </Panel>
      {/* Last, because only administrators get it, so that it is read later than the rest. */}
      {keyless !== undefined && isAdmin && (
        <Panel title={`Trusted jobs of ${label}`}>
          <TrustTable org={org} preset={keyless.preset} />
        </Panel>
      )}
    </>
  );
}

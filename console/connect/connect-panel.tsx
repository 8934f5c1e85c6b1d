import { PageLink } from '../parts/link/link.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { Code } from '../parts/text/code.tsx';
import { Checklist } from './checklist.tsx';
import styles from './connect.module.css';
import { KeyNote } from './key-note.tsx';
import { CI_LABELS, CI_NAMES } from './model/choices.ts';
import { firstSteps } from './model/first-steps.ts';

/** On the first page of an organization, until its first compliant snapshot: what has come, and the ways to go on. */
export const ConnectPanel = ({ org }: { org: string }) => (
  <>
    <Panel title="Connect your CI" note="stays here until the first compliant snapshot" rows={4}>
      <ul className={styles['choices']}>
        {CI_NAMES.map((ci) => (
          <li key={ci}>
            <PageLink page="connect" params={{ org }} search={{ ci }}>
              {CI_LABELS[ci]}
            </PageLink>
          </li>
        ))}
      </ul>
      <Checklist org={org} />
    </Panel>
    <Panel title="First steps" note="the same on this machine, for bash with git">
      <KeyNote org={org} />
      <ol className={styles['steps']}>
        {firstSteps({ host: location.origin, org }).map(({ what, text }, n) => (
          <li key={what}>
            <Code what={`${n + 1}. ${what}`} wrap>
              {text}
            </Code>
          </li>
        ))}
      </ol>
    </Panel>
  </>
);

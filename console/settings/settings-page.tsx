import { useMay } from '../account/user.ts';
import { useAnswer } from '../client/live.ts';
import { Writes } from '../parts/form/writes.tsx';
import { PageLink } from '../parts/link/link.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { Tabs } from '../parts/page/tabs.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import type { PageProps } from '../routes/route.ts';
import { Features } from './features.tsx';
import { readAccounts, type settingsRoute } from './routes.ts';
import { SignInRules } from './sign-in-rules.tsx';
import { Statements } from './statements.tsx';
import { trustForm } from './trust-forms.ts';
import { TrustTable } from './trust-table.tsx';

/** What administrators set for a whole organization. */
export default function SettingsPage({ params: { org }, search: { tab } }: PageProps<typeof settingsRoute>) {
  const params = { org };
  const tabs = [
    ['Trusts', undefined],
    ['Sign-in', 'sign-in'],
    ['Features', 'features'],
    ['Statements', 'statements'],
  ] as const;
  return (
    <>
      <VerdictLine
        subject="Settings"
        context={org}
        sentence="Which pipelines are trusted, who may join, which features there are, and the keys that sign statements."
        actions={
          <PageLink page="connect" params={params}>
            Connect your CI
          </PageLink>
        }
      />
      <Tabs
        label="Settings"
        tabs={tabs.map(([label, name]) => ({
          label,
          page: 'settings',
          params,
          search: { tab: name },
          isCurrent: tab === name,
        }))}
      />
      {tab === undefined && <Trusts org={org} />}
      {tab === 'sign-in' && <SignInRules org={org} />}
      {tab === 'features' && <Features org={org} />}
      {tab === 'statements' && (
        <Panel title="Statements" note="the keys that sign verdicts, and how to check one">
          <Statements org={org} />
        </Panel>
      )}
    </>
  );
}

function Trusts({ org }: { org: string }) {
  const isAdmin = useMay(org, 'admin');
  return (
    <Panel title="Trusts" note="pipelines without a stored key" actions={<NewTrust org={org} />}>
      {isAdmin ? <TrustTable org={org} /> : <p>Only administrators see which pipelines are trusted.</p>}
    </Panel>
  );
}

const NewTrust = ({ org }: { org: string }) => (
  <Writes org={org} writes={[trustForm(org, useAnswer(readAccounts(org)))]} />
);

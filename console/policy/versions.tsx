import { changeText, diffLines, nearChanges } from '../model/diff.ts';
import { PageLink } from '../parts/link/link.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { Tabs } from '../parts/page/tabs.tsx';
import { Code } from '../parts/text/code.tsx';
import { Diff } from '../parts/text/diff.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import type { ParamsOf } from '../routes/params.ts';
import type { PageProps } from '../routes/route.ts';
import type { Policy } from './operations.ts';
import styles from './policy.module.css';
import type { policyRoute } from './routes.ts';

interface VersionsProps {
  params: ParamsOf<'policy'>;
  search: PageProps<typeof policyRoute>['search'];
  policy: Policy;
}

/** The text of a version, or what it changed. All versions are in one answer. */
export function Versions({ params, search: { version, view }, policy: { versions } }: VersionsProps) {
  const newest = versions.at(-1);
  const shown = versions.find((one) => one.version === version) ?? newest;
  if (!shown) return null;
  const before = versions[versions.indexOf(shown) - 1];
  const showsChanges = view === 'changes' && before !== undefined;
  const at = { version: shown === newest ? undefined : shown.version };
  return (
    <Panel title={`Version ${shown.version}`} note={shown === newest ? 'the newest' : 'not the newest'}>
      {versions.length > 1 && (
        <nav className={styles['versions']} aria-label="Versions">
          {versions.toReversed().map((one) => (
            <PageLink
              key={one.version}
              page="policy"
              params={params}
              search={{ version: one === newest ? undefined : one.version, view }}
              className={styles['version']}
              aria-current={one === shown ? 'page' : undefined}
              keepPlace
              replace
            >
              v{one.version}
              <span className={styles['quiet']}>
                <Time at={one.timestamp} />
              </span>
            </PageLink>
          ))}
        </nav>
      )}
      <p className={styles['origin']}>
        Uploaded <Time at={shown.timestamp} show="full" /> by <Text>{shown.created_by}</Text>
        {shown.comment !== '' && (
          <>
            : «<Text>{shown.comment}</Text>»
          </>
        )}
      </p>
      {before && (
        <Tabs
          label="Views of the version"
          tabs={[
            { label: 'Text', page: 'policy', params, search: at, isCurrent: !showsChanges },
            {
              label: `Changes since v${before.version}`,
              page: 'policy',
              params,
              search: { ...at, view: 'changes' },
              isCurrent: showsChanges,
            },
          ]}
        />
      )}
      {showsChanges ? (
        <Changes older={before.policy_yaml} newer={shown.policy_yaml} />
      ) : (
        <Code what="YAML" numbers>
          {shown.policy_yaml.trimEnd()}
        </Code>
      )}
    </Panel>
  );
}

function Changes({ older, newer }: { older: string; newer: string }) {
  const lines = diffLines(older, newer);
  return <Diff caption={changeText(lines)} lines={nearChanges(lines)} />;
}

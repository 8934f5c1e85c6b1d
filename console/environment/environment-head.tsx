import { useNavigate } from '@tanstack/react-router';
import { useLiveAnswer, useRefreshOn } from '../client/live.ts';
import { stateOfVerdict } from '../model/states.ts';
import { Button } from '../parts/control/button.tsx';
import { Writes } from '../parts/form/writes.tsx';
import { useKeys } from '../parts/keys/keyboard.tsx';
import { EnvironmentLinks, PolicyLinks } from '../parts/link/name-links.tsx';
import { Tabs } from '../parts/page/tabs.tsx';
import { usePresentName } from '../parts/page/use-present-name.ts';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time, useNow } from '../parts/text/time.tsx';
import { routePath } from '../routes/route-path.ts';
import { settingsWrites } from './forms.ts';
import { silenceSentence } from './model/silence.ts';
import { stateReasonText } from './model/state-reason.ts';
import { type Environment, everReported } from './operations.ts';
import { useCompare } from './present/use-compare.ts';
import { keysOfNewest, readHead } from './reads.ts';

interface Place {
  org: string;
  env: string;
}

/** The environment. Only its head is read every few seconds; the rest when the head has changed. */
export function useEnvironment(place: Place): Environment {
  const environment = useLiveAnswer(readHead(place), 5);
  usePresentName('environment', place.env, environment.name);
  useRefreshOn(`${environment.last_changed_at} ${environment.state}`, keysOfNewest(place));
  return environment;
}

type TabName =
  | 'changes'
  | 'running'
  | 'frequency'
  | 'events'
  | 'gaps'
  | 'history'
  | 'policies'
  | 'allowed'
  | 'settings';

interface EnvironmentHeadProps {
  params: Place;
  environment: Environment;
  sentence: React.ReactNode;
  current: TabName;
  actions?: React.ReactNode;
}

/** What stands above every page of an environment: its verdict and its views. */
export function EnvironmentHead({ params, environment, sentence, current, actions }: EnvironmentHeadProps) {
  const { org, env } = params;
  const navigate = useNavigate();
  const toHistory = () => void navigate({ to: routePath('environment-history'), params: { org, env } });
  const compare = useCompare(org, `${env}~1`, env);
  useKeys({
    c: { does: 'Compare the newest snapshot with the one before', run: compare },
    h: { does: 'What ran in a period', run: toHistory },
  });
  const { name, type, state, description, policies, included_environments: members } = environment;
  const silence = silenceSentence(environment, useNow());
  const reason = stateReasonText(environment);
  const { last_changed_at: changed, last_reported_at: reported } = environment;
  return (
    <>
      <VerdictLine
        kind={`Environment · ${type}`}
        subject={name}
        state={stateOfVerdict(state)}
        sentence={
          <>
            {reason !== '' && (
              <>
                <Text>{reason}</Text>{' '}
              </>
            )}
            {sentence}
            <Text>{silence}</Text>
          </>
        }
        description={description}
        actions={
          <>
            {actions}
            {everReported(environment) && <Button onClick={compare}>Compare</Button>}
            <Writes
              org={org}
              writes={settingsWrites(org, environment).filter(({ isRare }) => isRare)}
              isExplained={false}
            />
          </>
        }
        facts={[
          <span key="policies">
            {policies.length === 0 ? 'no policies' : 'policies '}
            <PolicyLinks org={org} policies={policies} />
          </span>,
          members === null ? (
            <span key="report">
              last report <Time at={reported} show="ago" never="never" />
            </span>
          ) : (
            <Members key="members" org={org} members={members} />
          ),
          <span key="change">
            last change <Time at={changed} show="ago" never="never" />
          </span>,
        ]}
      />
      <EnvironmentTabs params={params} current={current} policies={policies.length} />
    </>
  );
}

const Members = ({ org, members }: { org: string; members: readonly string[] }) => (
  <span>
    members <EnvironmentLinks org={org} environments={members} />
  </span>
);

function EnvironmentTabs({ params, current, policies }: { params: Place; current: TabName; policies: number }) {
  const tab = (name: TabName) => ({ params, isCurrent: name === current });
  return (
    <Tabs
      label="Views of the environment"
      tabs={[
        { ...tab('changes'), label: 'What changed', page: 'environment' },
        { ...tab('running'), label: 'Running now', page: 'environment', search: { tab: 'running' } },
        { ...tab('frequency'), label: 'Frequency', page: 'environment', search: { tab: 'frequency' } },
        { ...tab('events'), label: 'Events', page: 'environment', search: { tab: 'events' } },
        { ...tab('gaps'), label: 'Gaps', page: 'environment', search: { tab: 'gaps' } },
        { ...tab('history'), label: 'History', page: 'environment-history' },
        { ...tab('policies'), label: 'Policies', page: 'environment-policies', count: policies },
        { ...tab('allowed'), label: 'Allow-list', page: 'environment-allowed' },
        { ...tab('settings'), label: 'Settings', page: 'environment-settings' },
      ]}
    />
  );
}

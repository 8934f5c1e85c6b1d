import { useLocation } from '@tanstack/react-router';
import type { PageName } from '#shared/console/pages.ts';
import { useUser } from '../../account/user.ts';
import { Icon, type IconName } from '../control/icons.tsx';
import { Menu, MenuNote } from '../control/menu.tsx';
import { PageLink } from '../link/link.tsx';
import { Text } from '../text/text.tsx';
import styles from './frame.module.css';
import { SavedViews } from './saved-views.tsx';

interface Item {
  page: PageName &
    (
      | 'home'
      | 'environments'
      | 'flows'
      | 'frequency'
      | 'attestations'
      | 'components'
      | 'artifacts'
      | 'repos'
      | 'policies'
      | 'controls'
      | 'expectations'
      | 'evaluations'
      | 'signers'
      | 'types'
      | 'actions'
      | 'deliveries'
      | 'audit'
      | 'exports'
      | 'drafts'
      | 'people'
      | 'connect'
      | 'settings'
    );
  label: string;
  icon: IconName;
}

/** The pages of an organization, in groups. */
export const GROUPS: readonly (readonly Item[])[] = [
  [
    { page: 'home', label: 'Home', icon: 'home' },
    { page: 'environments', label: 'Environments', icon: 'environments' },
    { page: 'flows', label: 'Flows', icon: 'flows' },
    { page: 'frequency', label: 'Frequency', icon: 'frequency' },
  ],
  [
    { page: 'artifacts', label: 'Artifacts', icon: 'artifacts' },
    { page: 'attestations', label: 'Attestations', icon: 'attestations' },
    { page: 'components', label: 'Components', icon: 'components' },
    { page: 'repos', label: 'Repositories', icon: 'repos' },
  ],
  [
    { page: 'policies', label: 'Policies', icon: 'policies' },
    { page: 'controls', label: 'Controls', icon: 'controls' },
    { page: 'expectations', label: 'Expectations', icon: 'expectations' },
    { page: 'evaluations', label: 'Evaluations', icon: 'evaluations' },
    { page: 'signers', label: 'Signers', icon: 'signers' },
    { page: 'types', label: 'Types', icon: 'types' },
  ],
  [
    { page: 'actions', label: 'Actions', icon: 'actions' },
    { page: 'deliveries', label: 'Deliveries', icon: 'deliveries' },
    { page: 'audit', label: 'Audit log', icon: 'audit' },
    { page: 'exports', label: 'Exports', icon: 'file' },
    { page: 'drafts', label: 'Drafts', icon: 'file' },
    { page: 'people', label: 'People', icon: 'people' },
    { page: 'connect', label: 'Connect your CI', icon: 'out' },
    { page: 'settings', label: 'Settings', icon: 'controls' },
  ],
];

/** The item of pages that have none of their own, by the first part of their address. */
const ITEM_OF: Readonly<Record<string, Item['page']>> = {
  gaps: 'expectations',
  watches: 'components',
  'trust-roots': 'signers',
  recalls: 'signers',
};

/** The left side: the organization, and its pages. */
export function Rail({ org }: { org: string | undefined }) {
  const { pathname } = useLocation();
  const [, , section = ''] = pathname.split('/');
  return (
    <>
      <Organizations org={org} />
      {org !== undefined && (
        <nav aria-label="Pages of the organization">
          {GROUPS.map((items, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the groups never change
            <div key={n} className={n === 0 ? styles['nav'] : `${styles['nav']} ${styles['group']}`}>
              {items.map(({ page, label, icon }) => (
                <PageLink
                  key={page}
                  page={page}
                  params={{ org }}
                  className={styles['item']}
                  aria-current={(page === 'home' ? '' : page) === (ITEM_OF[section] ?? section) ? 'page' : undefined}
                >
                  <Icon name={icon} />
                  {label}
                </PageLink>
              ))}
            </div>
          ))}
        </nav>
      )}
      {org !== undefined && <SavedViews org={org} />}
    </>
  );
}

/** The switch between the organizations of the caller. */
function Organizations({ org }: { org: string | undefined }) {
  const user = useUser();
  const names = user?.organizations.map(({ name }) => name) ?? [];
  return (
    <Menu title="Organization" label={org === undefined ? 'Organizations' : <Text>{org}</Text>}>
      {names.map((name) => (
        <PageLink key={name} page="home" params={{ org: name }}>
          <Text>{name}</Text>
        </PageLink>
      ))}
      {names.length === 0 && <MenuNote>You are a member of no organization.</MenuNote>}
      <PageLink page="organizations" params={{}}>
        All organizations
      </PageLink>
    </Menu>
  );
}

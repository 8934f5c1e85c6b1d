import { useNavigate } from '@tanstack/react-router';
import { signOut, useUser } from '../../account/user.ts';
import { useLiveState } from '../../client/live.ts';
import { usePreferences } from '../../client/preferences.ts';
import { clockTime } from '../../model/time.ts';
import { SearchBox } from '../../search/search-box.tsx';
import { Menu, MenuNote } from '../control/menu.tsx';
import { PageLink } from '../link/link.tsx';
import { Text } from '../text/text.tsx';
import { Crumbs } from './crumbs.tsx';
import styles from './frame.module.css';
import { SaveView } from './save-view.tsx';

/** The line above the page: where it is, search, how old it is, and who looks at it. */
export const TopLine = ({ org, menu }: { org: string | undefined; menu: React.ReactNode }) => (
  <header className={styles['top']}>
    {menu}
    <Crumbs />
    <Live />
    <SaveView org={org} />
    <SearchBox org={org} />
    <Account />
  </header>
);

/** Says that the page reads its answers again, and when it last did. */
function Live() {
  const { asOf, failures, every } = useLiveState();
  const { zone } = usePreferences();
  if (asOf === null) return null;
  const at = clockTime(asOf / 1000, zone);
  if (failures >= 2) {
    return (
      <span className={`${styles['live']} ${styles['stale']}`} role="status">
        may be stale · as of {at}
      </span>
    );
  }
  return (
    <span className={styles['live']} title={`This page is read again every ${every / 1000} s while it is visible`}>
      live · as of {at}
    </span>
  );
}

function Account() {
  const user = useUser();
  const navigate = useNavigate();
  return (
    <Menu title="Account" icon="account" end>
      {user && (
        <MenuNote>
          Signed in as <Text>{user.name}</Text>
        </MenuNote>
      )}
      <PageLink page="account" params={{}}>
        Sessions and appearance
      </PageLink>
      <PageLink page="glossary" params={{}}>
        Glossary
      </PageLink>
      <button
        type="button"
        onClick={() => {
          void signOut().then(() => navigate({ to: '/-/sign-in' }));
        }}
      >
        Sign out
      </button>
    </Menu>
  );
}

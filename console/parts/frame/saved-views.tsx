import { useLocation } from '@tanstack/react-router';
import { useUser } from '../../account/user.ts';
import { useSavedViews } from '../../client/saved-views.ts';
import { placeOf } from '../../model/saved-views.ts';
import { Icon } from '../control/icons.tsx';
import { PageLink } from '../link/link.tsx';
import { Text } from '../text/text.tsx';
import styles from './frame.module.css';

/** The views of the organization that the caller saved. */
export function SavedViews({ org }: { org: string }) {
  const views = useSavedViews(useUser()?.name, org);
  const present = useLocation({ select: ({ pathname, searchStr }) => pathname + searchStr });
  if (views.length === 0) return null;
  return (
    <nav aria-label="Saved views" className={`${styles['nav']} ${styles['group']}`}>
      {views.map(({ name, address }) => {
        const place = placeOf(address);
        return (
          place && (
            <PageLink
              key={address}
              {...place}
              className={styles['item']}
              aria-current={address === present ? 'page' : undefined}
            >
              <Icon name="saved" />
              <span>
                <Text>{name}</Text>
              </span>
            </PageLink>
          )
        );
      })}
    </nav>
  );
}

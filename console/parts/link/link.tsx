import { useLinkProps } from '@tanstack/react-router';
import type { PageName } from '#shared/console/pages.ts';
import { outgoingLink } from '../../model/link-guard.ts';
import type { ParamsOf } from '../../routes/params.ts';
import { type LinkSearch, targetOf } from '../../routes/target.ts';
import { Icon } from '../control/icons.tsx';
import { Text } from '../text/text.tsx';
import styles from './link.module.css';

interface PageLinkProps<N extends PageName> {
  page: N;
  params: ParamsOf<N>;
  search?: LinkSearch;
  children: React.ReactNode;
  /** Draws the link in the colour of the text, for names in tables. */
  strong?: boolean;
  className?: string | undefined;
  /** The link of a table's row, which `j` and `k` go to. */
  row?: boolean;
  title?: string;
  /** Keeps the reader's place in the page, for tabs and drawers. */
  keepPlace?: boolean;
  /** Replaces the present address in the history instead of adding one. */
  replace?: boolean;
  'aria-current'?: 'page' | undefined;
}

/** A link to a page of the console. The router prepares the page when the pointer or the focus comes near. */
export function PageLink<N extends PageName>(props: PageLinkProps<N>) {
  const { page, params, search, children, strong, className, row, title, keepPlace, replace } = props;
  const link = useLinkProps({
    ...targetOf(page, params, search),
    resetScroll: !keepPlace,
    replace: replace ?? false,
  });
  return (
    <a
      {...link}
      className={className ?? (strong ? styles['strong'] : undefined)}
      title={title}
      data-row={row ? '' : undefined}
      // The router would mark every link whose address the present one begins with.
      aria-current={props['aria-current']}
      data-status={undefined}
    >
      {children}
    </a>
  );
}

/**
 * A link to an address that somebody reported. It is the only part that makes such links: an address that is not
 * plainly http or https is shown as text (model/link-guard.ts). The host stands beside the label.
 */
export function OutLink({ href, children }: { href: unknown; children?: string | undefined }) {
  const link = outgoingLink(href);
  if (!link) {
    const text = typeof href === 'string' ? href : '';
    return <Text>{children === undefined || children === text ? text : `${children}: ${text}`}</Text>;
  }
  return (
    <a className={styles['out']} href={link.href} target="_blank" rel="noopener noreferrer" title={link.href}>
      <span>
        <Text>{children ?? link.href.replace(/^https?:\/\//, '').replace(/\/$/, '')}</Text>
        {children !== undefined && <span className={styles['host']}> {link.host}</span>}
      </span>
      <Icon name="out" />
    </a>
  );
}

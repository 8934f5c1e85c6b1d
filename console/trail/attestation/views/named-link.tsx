import { OutLink } from '../../../parts/link/link.tsx';
import { Text } from '../../../parts/text/text.tsx';

/** A reported name. It leads to the address that was reported with it, if there is one that may be opened. */
export const NamedLink = ({ href, children }: { href: string | null; children: string }) =>
  href === null ? <Text>{children}</Text> : <OutLink href={href}>{children}</OutLink>;

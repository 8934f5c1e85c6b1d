import type { ComponentProps } from 'react';
import styles from './button.module.css';
import { Icon, type IconName } from './icons.tsx';

interface ButtonProps extends Omit<ComponentProps<'button'>, 'className'> {
  look?: 'normal' | 'primary' | 'danger' | 'plain';
  icon?: IconName;
}

/** A button with a label. */
export function Button({ look = 'normal', icon, children, type = 'button', ...rest }: ButtonProps) {
  return (
    <button {...rest} type={type} className={`${styles['button']} ${styles[look] ?? ''}`}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'className' | 'children'> {
  icon: IconName;
  /** What the button does. Screen readers and the tooltip say it. */
  label: string;
}

/** A button that shows an icon only. */
export const IconButton = ({ icon, label, ...rest }: IconButtonProps) => (
  <button
    {...rest}
    type="button"
    aria-label={label}
    title={label}
    className={`${styles['button']} ${styles['plain']} ${styles['icon']}`}
  >
    <Icon name={icon} />
  </button>
);

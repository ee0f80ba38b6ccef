/** Text of a foreign error may quote a connection address: this hides its user and password. */
export function maskCredentials(text: string): string {
  return (
    text
      // A raw password may hold any character, a slash too, so everything up to the last @ goes.
      .replace(/\/\/[^\s"'<>]*@/g, '//***@')
      .replace(/([?&][\w-]*(?:password|secret|token|key)=)[^&#\s"'<>]*/gi, '$1***')
  );
}

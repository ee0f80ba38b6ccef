/** Text of a foreign error may quote a connection address: this hides its user and password. */
export function maskCredentials(text: string): string {
  return text.replace(/\/\/[^/\s]*@/g, '//***@');
}

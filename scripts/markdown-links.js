const FENCED = /(^```[\s\S]*?^```)/m
/** Inline code, which is left alone, or a link or picture to a file or heading. */
const RELATIVE = /`[^`\n]*`|(!?)\[((?:[^[\]]|\[[^[\]]*\])*)\]\((?!https?:|mailto:)([^()\s]+)\)/g

/**
 * The page with other targets for its links to files and headings; where there is none, the label stands alone.
 * @param {string} markdown
 * @param {(link: string, isPicture: boolean) => string | undefined} target
 */
export function withTargets(markdown, target) {
  // Every second part is fenced code.
  const parts = markdown.split(FENCED).map((part, index) =>
    index % 2 === 1
      ? part
      : part.replaceAll(RELATIVE, (whole, mark, label, link) => {
          if (link === undefined) return whole
          const found = target(link, mark === '!')
          return found === undefined ? label : `${mark}[${label}](${found})`
        }),
  )
  return parts.join('')
}

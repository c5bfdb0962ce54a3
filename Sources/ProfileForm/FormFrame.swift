/// The position and size of a field on a screen, in any unit. If the host sets frames, they determine the order of
/// focus (F10).
public struct FormFrame: Hashable, Sendable {
    /// The distance between the left edge of the field and the left edge of the screen or container.
    public var x: Double
    /// The distance between the top edge of the field and the top edge of the screen or container.
    public var y: Double
    /// The width, from the left edge to the right edge.
    public var width: Double
    /// The height. It does not affect the order of focus.
    public var height: Double

    /// Creates a frame in the coordinates of a screen or of the field's container.
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Returns the frame in the coordinate system of the container's parent. Use this method if the fields are in
    /// different containers.
    public func converted(from container: FormFrame) -> FormFrame {
        FormFrame(x: x + container.x, y: y + container.y, width: width, height: height)
    }
}

/// The reading direction. It determines whether the left or the right edge of a screen is the leading edge.
public enum LayoutDirection: Hashable, Sendable {
    /// The left edge is the leading edge, for example in English.
    case leftToRight
    /// The right edge is the leading edge, for example in Arabic.
    case rightToLeft
}

extension FormFrame {
    /// Whether this frame comes before another frame. A frame that is higher on the screen comes first. If both frames
    /// are at the same height, the frame that is nearer to the leading edge comes first.
    func precedes(_ other: FormFrame, _ direction: LayoutDirection) -> Bool {
        if y != other.y { return y < other.y }
        return direction == .leftToRight ? x < other.x : x + width > other.x + other.width
    }
}
